import type { Chance } from './chance.ts'
import type { CommitFaults } from './simulated-lmdb.ts'
import type { Machine } from './workers.ts'

/** What a world is like. Most worlds have some faults and not others, so that each is also seen alone. */
export interface Weather {
  readonly machine: Machine
  readonly commits: CommitFaults
  /** Longest time of one call of the disk. */
  readonly diskMs: number
  readonly diskFills: boolean
  readonly wallClockJumps: boolean
  /** How often the process is killed. */
  readonly deaths: number
  /** SIGTERM at the end, while clients are still at work. */
  readonly drains: boolean
  readonly slowReaders: boolean
  /** An operator changes ceilings and keys while the node serves. */
  readonly operatorMeddles: boolean
  /** The voices have been calibrated in an earlier life. */
  readonly isCalibrated: boolean
  /** Everybody comes for a stream, within seconds, and has money. */
  readonly isRush: boolean
  /** Voices are enrolled and deleted. */
  readonly voicesCome: boolean
  /** The disk loses what was learnt of voices. */
  readonly voicesRot: boolean
  /** Some clients were written for OpenAI. */
  readonly isOpenAi: boolean
  readonly clients: number
  readonly errandsMax: number
}

export function drawWeather(chance: Chance): Weather {
  return chance.hits(0.12) ? drawRush(chance) : drawUsual(chance)
}

/** More listeners at once than a sound machine can take, and nothing else. */
function drawRush(chance: Chance): Weather {
  const [slowShare, failedShare, lostShare] = [0, 0, 0]
  return {
    machine: {
      workers: chance.pick([1, 2]),
      realTimeFactor: chance.pick([0.3, 0.45, 0.7]),
      slowShare,
      failedShare,
      lostShare,
    },
    commits: { refusedShare: 0, flushMsMax: 5 },
    diskMs: 3,
    diskFills: false,
    wallClockJumps: false,
    deaths: 0,
    drains: false,
    slowReaders: false,
    operatorMeddles: false,
    isCalibrated: true,
    isRush: true,
    voicesCome: false,
    voicesRot: false,
    isOpenAi: false,
    clients: chance.whole(6, 12),
    errandsMax: 1,
  }
}

function drawUsual(chance: Chance): Weather {
  const workersFail = chance.hits(0.4)
  const share = (max: number) => (workersFail && chance.hits(0.6) ? chance.between(0, max) : 0)
  return {
    machine: {
      workers: chance.pick([1, 2, 2, 2, 4]),
      realTimeFactor: chance.pick([0.05, 0.2, 0.3, 0.45, 0.9, 1.6]),
      slowShare: share(0.2),
      failedShare: share(0.05),
      lostShare: share(0.08),
    },
    commits: {
      refusedShare: chance.hits(0.15) ? chance.between(0, 0.15) : 0,
      flushMsMax: chance.pick([1, 5, 40, 400]),
    },
    diskMs: chance.pick([0.5, 3, 50]),
    diskFills: chance.hits(0.15),
    wallClockJumps: chance.hits(0.25),
    deaths: chance.hits(0.35) ? chance.whole(1, 3) : 0,
    drains: chance.hits(0.25),
    slowReaders: chance.hits(0.6),
    operatorMeddles: chance.hits(0.3),
    isCalibrated: chance.hits(0.8),
    isRush: false,
    voicesCome: chance.hits(0.4),
    voicesRot: chance.hits(0.3),
    isOpenAi: chance.hits(0.4),
    clients: chance.whole(2, 12),
    errandsMax: chance.whole(1, 8),
  }
}

/** Nothing keeps voices that were enrolled from being refined in the end. */
export function areVoicesRefined({ machine, diskFills, drains }: Weather): boolean {
  return machine.failedShare + machine.lostShare === 0 && !diskFills && !drains
}

/** Nothing is wrong with the machine or anybody on it, and it is fast enough for a listener. */
export function isCalm(weather: Weather): boolean {
  const { machine, commits, deaths, drains, slowReaders, diskFills, isCalibrated } = weather
  const faults = machine.slowShare + machine.failedShare + machine.lostShare + commits.refusedShare + deaths
  const isFastEnough = machine.realTimeFactor < 0.9 * machine.workers
  return faults === 0 && isFastEnough && isCalibrated && !drains && !slowReaders && !diskFills
}
