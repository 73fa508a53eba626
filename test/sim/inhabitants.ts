import type { KeyKind } from '../../src/ledger/ledger.ts'
import { LmdbLedger } from '../../src/ledger/lmdb-ledger.ts'
import { bringVoices, deleteVoice, enroll } from './enrolling.ts'
import { Life } from './life.ts'
import { DATA, type SimulatedNode } from './node.ts'
import { useAsOpenAi } from './openai.ts'
import { speak } from './speaking.ts'
import { transcribe } from './transcribing.ts'
import type { World } from './world.ts'

const DAY_MS = 24 * 60 * 60_000
/** Clients come and go within this time. */
const ERRAND_EVERY_MS_MAX = 15_000
const RUSH_MS = 4_000

export interface Key {
  readonly id: string
  readonly accountId: string
  readonly plaintext: string
  readonly kind: KeyKind
}

/** Everybody who lives in a world: clients with their keys, an operator, and whatever befalls the node. */
export async function inhabit(world: World): Promise<void> {
  const { weather } = world
  await world.boot()
  const operator = openAsCommandLine(world)
  const keys = await foundAccounts(operator, world)
  // Who makes an account looks at whether it was made.
  world.ledgerDisk.faults = weather.commits
  for (let client = 0; client < weather.clients; client++) world.populate(visit(world, keys))
  if (weather.operatorMeddles) world.populate(meddle(world, operator, keys))
  if (weather.wallClockJumps) world.populate(jump(world))
  if (weather.diskFills) world.populate(fillDisk(world))
  if (weather.voicesRot) world.populate(rot(world, keys))
  if (weather.deaths > 0) world.populate(die(world))
  else if (weather.drains) world.populate(drain(world))
  world.populate(sweep(world))
}

/** `keys`: also of voices that come later. */
async function visit(world: World, keys: Key[]): Promise<void> {
  const { chance, weather } = world
  for (let errand = chance.whole(1, weather.errandsMax); errand > 0; errand--) {
    // Some come all at once.
    await world.sleep(chance.between(0, weather.isRush ? RUSH_MS : chance.hits(0.4) ? 50 : ERRAND_EVERY_MS_MAX))
    const key = chance.pick(weather.isRush ? keys.filter(({ kind }) => kind === 'voice') : keys)
    if (weather.isOpenAi && chance.hits(0.4)) await useAsOpenAi(world, key)
    else if (weather.voicesCome && key.kind === 'admin' && chance.hits(0.9)) await keepVoices(world, key, keys)
    else if (key.kind === 'stt') await transcribe(world, key)
    else await speak(world, key)
  }
}

async function keepVoices(world: World, key: Key, keys: Key[]): Promise<void> {
  if (world.chance.hits(0.7)) await enroll(world, key, keys)
  else await deleteVoice(world, key)
}

/** The command line beside the node: a process of its own on the same folder. */
function openAsCommandLine(world: World): LmdbLedger {
  const life = new Life(world.clock)
  world.ledgerDisk.opener = life
  return LmdbLedger.open(DATA, life.clock, world.chance)
}

async function foundAccounts(ledger: LmdbLedger, world: World): Promise<Key[]> {
  const { chance, weather } = world
  const keys: Key[] = []
  for (let account = chance.whole(1, 2); account > 0; account--) {
    const quota = () => (weather.isRush || chance.hits(0.2) ? null : chance.whole(50, 3_000))
    const terms = { ttsQuota: quota(), sttQuota: quota(), interval: chance.pick(['day', 'month'] as const) }
    const { id: accountId } = await ledger.createAccount({ name: 'An account', ...terms, intervalCount: 1 })
    const kinds: readonly KeyKind[] = ['voice', 'voice', 'voice', 'admin', 'stt', 'stt']
    const keeps: readonly KeyKind[] = weather.voicesCome ? ['admin', 'admin', 'admin'] : []
    for (const kind of [...kinds, ...keeps]) {
      const creditLimit = weather.isRush || chance.hits(0.5) ? null : chance.whole(1, kind === 'stt' ? 150 : 800)
      const voice = kind === 'voice' ? { voiceId: chance.pick(['preset_af_heart', 'preset_bf_emma']) } : {}
      const { key, plaintext } = await ledger.createKey({ accountId, kind, name: 'A key', creditLimit, ...voice })
      keys.push({ id: key.id, accountId, plaintext, kind })
    }
    const admin = keys.find((key) => key.accountId === accountId && key.kind === 'admin')!
    if (weather.voicesCome && chance.hits(0.3)) await bringVoices(world, ledger, admin)
  }
  return keys
}

async function meddle(world: World, ledger: LmdbLedger, keys: readonly Key[]): Promise<void> {
  const { chance } = world
  const deeds = {
    revoke: (id: string) => ledger.revokeKey(id),
    ceiling: (id: string) => ledger.setCreditLimit(id, chance.hits(0.3) ? null : chance.whole(1, 1_000)),
    quota: (_: string, accountId: string) => ledger.setAccount(accountId, { ttsQuota: chance.whole(0, 3_000) }),
    disable: (_: string, accountId: string) => ledger.setAccount(accountId, { disabled: chance.hits(0.5) }),
  }
  for (let times = chance.whole(1, 6); times > 0; times--) {
    await world.sleep(chance.between(0, 20_000))
    const { id } = chance.pick(keys)
    const deed = chance.pick(['revoke', 'ceiling', 'quota', 'disable'] as const)
    world.note(`the operator: ${deed} ${id}`)
    world.books.ease()
    await deeds[deed](id, ledger.key(id)?.accountId ?? '').catch((error: unknown) => world.note(`it fails: ${error}`))
    world.books.ease()
  }
}

/** A time server, an administrator, or a summer without one. */
async function jump(world: World): Promise<void> {
  const { chance } = world
  for (let times = chance.whole(1, 5); times > 0; times--) {
    await world.sleep(chance.between(0, 20_000))
    const ms = Math.round(chance.between(-1, 1) * chance.pick([1_000, 90_000, 2 * DAY_MS, 40 * DAY_MS]))
    world.note(`the wall clock jumps by ${ms} ms`)
    world.clock.jump(ms)
    world.books.ease()
  }
}

async function fillDisk(world: World): Promise<void> {
  const { chance, files } = world
  await world.sleep(chance.between(0, 30_000))
  world.note('the disk is full')
  files.isFull = true
  await world.sleep(chance.between(10, 10_000))
  world.note('the disk has room')
  files.isFull = false
}

async function rot(world: World, keys: readonly Key[]): Promise<void> {
  const { chance, voices } = world
  for (let times = chance.whole(1, 4); times > 0; times--) {
    await world.sleep(chance.between(0, 20_000))
    const rotting = voices.of(chance.pick(keys).accountId)
    if (rotting.length > 0) voices.rot(chance.pick(rotting))
  }
}

async function die(world: World): Promise<void> {
  const { chance, weather } = world
  for (let deaths = weather.deaths; deaths > 0; deaths--) {
    await world.sleep(chance.between(100, 20_000))
    if (chance.hits(0.7)) await killInCommit(world)
    else world.kill()
    await world.sleep(chance.between(10, 3_000))
    await world.boot()
  }
}

/** In the midst of a commit, before it is on disk or after, unless there is none for long. */
async function killInCommit(world: World): Promise<void> {
  const { chance, clock, ledgerDisk } = world
  let flushes = chance.whole(1, 20)
  await new Promise<void>((resolve) => {
    const kill = () => {
      cancel()
      ledgerDisk.onFlush = () => {}
      world.kill()
      resolve()
    }
    const cancel = clock.after(20_000, kill)
    ledgerDisk.onFlush = () => {
      flushes -= 1
      if (flushes === 0) kill()
    }
  })
}

/** SIGTERM. The process stays, since what it holds then is looked at. */
async function drain(world: World): Promise<void> {
  const { chance, node } = world
  await world.sleep(chance.between(1_000, 30_000))
  world.note('the node drains')
  node?.lifecycle.drain()
  void node?.voiceRefiner.stop()
  await world.sleep(chance.between(0, 8_000))
  world.note('the node stops')
  node?.lifecycle.stop()
}

async function sweep(world: World): Promise<void> {
  for (let times = 3; times > 0; times--) {
    await world.sleep(world.chance.between(5_000, 30_000))
    const { node } = world
    // Of a node that dies meanwhile nothing is heard any more.
    if (node) void sweepOnce(node).catch(() => world.note('sweeping failed'))
  }
}

async function sweepOnce({ ledger, voiceFiles }: SimulatedNode): Promise<void> {
  await ledger.sweep()
  await voiceFiles.sweep((voiceId) => ledger.voice(voiceId) !== undefined)
}
