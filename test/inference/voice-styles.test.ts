import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CostModel } from '../../src/inference/cost-model.ts'
import { PresetVoices } from '../../src/inference/preset-voices.ts'
import { Scheduler } from '../../src/inference/scheduler.ts'
import { VoiceStyles } from '../../src/inference/voice-styles.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { STYLE_CLASSES, STYLE_WIDTH } from '../../src/speech/style-classes.ts'
import { CALIBRATION_UTTERANCES } from '../../src/speech/task-protocol.ts'
import type { TaskRunner } from '../../src/speech/task-runner.ts'
import { waitFor } from '../wait-for.ts'
import { AnalyticRunner } from './analytic-runner.ts'
import { ScriptedPool } from './scripted-pool.ts'

/** The real disk; a test may hold back what it has begun to write, and names that it is about to give. */
const disk = vi.hoisted(() => ({ written: Promise.resolve(), renamed: Promise.resolve(), opened: 0 }))
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  return {
    ...real,
    async writeFile(path: string, bytes: Uint8Array, options: { mode: number }) {
      await real.writeFile(path, '', options)
      disk.opened += 1
      await disk.written
      await real.writeFile(path, bytes, options)
    },
    async rename(from: string, to: string) {
      await disk.renamed
      await real.rename(from, to)
    },
  }
})

let folder: string
let runner: AnalyticRunner
beforeEach(() => {
  Object.assign(disk, { written: Promise.resolve(), renamed: Promise.resolve(), opened: 0 })
  folder = mkdtempSync(join(tmpdir(), 'syrinx-styles-'))
  mkdirSync(join(folder, 'voices'))
  // Each row of the table holds its own number.
  const table = Float32Array.from({ length: 510 * STYLE_WIDTH }, (_, i) => Math.floor(i / STYLE_WIDTH))
  writeFileSync(join(folder, 'voices', 'af_sky.bin'), table)
  runner = new AnalyticRunner()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function styles(conditioning = 'conditioning', ahead?: boolean, on: TaskRunner = runner): VoiceStyles {
  const source = new PresetVoices(join(folder, 'voices'), join(folder, conditioning))
  return new VoiceStyles(source, on, silentLog, systemRandom, 2, ahead)
}

const MEASURED = { conditioning: Float32Array.of(1) }

/**
 * A voice whose class 2 was measured while `others` batch tasks waited, on a node of one worker where nothing ends before the test says
 * so. `began`: the class of each calibration in the order in which they began, and the others.
 */
async function nodeOfOneWorker(others: number) {
  const pool = new ScriptedPool(1)
  const scheduler = new Scheduler(pool, new CostModel(), systemClock)
  const voice = await styles('conditioning', true, scheduler).load('af_sky')
  const wantOther = () => {
    const task = { kind: 'measure', text: '', pronunciation: 'en-us', styles: new Float32Array() } as const
    void scheduler.run(task, { deadline: Number.POSITIVE_INFINITY })
  }
  const classOf = (row: number | undefined) => STYLE_CLASSES.findIndex((styleClass) => styleClass.row === row)
  const began = () => pool.started.map((task) => (task.kind === 'calibrate' ? classOf(task.style[0]) : 'other'))
  const measured = voice.conditioning(2, 70)
  for (let i = 0; i < others; i++) wantOther()
  for (let utterance = 0; utterance < CALIBRATION_UTTERANCES; utterance++) await pool.finish(MEASURED)
  await measured
  return { voice, pool, began, wantOther }
}

/** Whatever class is asked for, the voice's others are measured and written after it. */
function allStored(): Promise<void> {
  const stored = () => readdirSync(join(folder, 'conditioning')).filter((name) => name.endsWith('.f32'))
  return waitFor(() => stored().length === STYLE_CLASSES.length, 'all classes')
}

describe('VoiceStyles', () => {
  it('takes one row of the table for each length class', async () => {
    const { rows } = await styles().load('af_sky')
    const first = STYLE_CLASSES.map((_, index) => rows[index * STYLE_WIDTH])
    expect(first).toEqual(STYLE_CLASSES.map(({ row }) => row))
  })

  it('measures a class once however often it is asked for, with that class’s row and as urgently as it is wanted', async () => {
    const voice = await styles().load('af_sky')
    const [first, second] = [voice.conditioning(2, 70), voice.conditioning(2, 90)]
    expect(await first).toEqual(Float32Array.of(1))
    expect(await second).toBe(await voice.conditioning(2, 0))
    const urgent = runner.ran.filter(({ order }) => order.deadline === 70)
    expect(
      urgent.map(({ task }) => task.kind === 'calibrate' && [task.style.length, task.style[0], task.utterance]),
    ).toEqual(
      Array.from({ length: CALIBRATION_UTTERANCES }, (_, utterance) => [STYLE_WIDTH, STYLE_CLASSES[2]!.row, utterance]),
    )
    await allStored()
  })

  it('measures nothing that nobody asked for, where it is told so', async () => {
    const voice = await styles('conditioning', false).load('af_sky')
    await voice.conditioning(2, 0)
    await voice.conditioning(3, 0)
    const rows = runner.ran.map(({ task }) => task.kind === 'calibrate' && task.style[0])
    expect(new Set(rows)).toEqual(new Set([2, 3].map((styleClass) => STYLE_CLASSES[styleClass]!.row)))
  })

  it('takes the mean of what the utterances gave', async () => {
    runner.before = (task) => void (task.kind === 'calibrate' && values.push(task.utterance))
    const values: number[] = []
    const voice = await styles().load('af_sky')
    expect(await voice.conditioning(1, 0)).toEqual(Float32Array.of(1))
    expect(values.slice(0, 2)).toEqual([0, 1])
    await allStored()
  })

  it('goes on with the voice’s other classes when there is nothing else to do', async () => {
    await (await styles().load('af_sky')).conditioning(2, 70)
    await allStored()
    const batch = runner.ran.filter(({ order }) => order.deadline === Number.POSITIVE_INFINITY)
    expect(batch).toHaveLength(CALIBRATION_UTTERANCES * (STYLE_CLASSES.length - 1))
  })

  it('measures a class at once that somebody needs before it was reached, and then goes on', async () => {
    const { voice, pool, began } = await nodeOfOneWorker(2)
    const needed = voice.conditioning(0, 90)
    await pool.finish()
    for (let utterance = 0; utterance < CALIBRATION_UTTERANCES; utterance++) await pool.finish(MEASURED)
    expect(began()).toEqual([2, 2, 'other', 0, 0, 'other'])
    expect(await needed).toEqual(Float32Array.of(1))
    await pool.finish()
    expect(began().slice(6)).toEqual([1])
  })

  it('goes on with a class that it has begun when somebody needs it, and does not begin it again', async () => {
    const { voice, pool, began, wantOther } = await nodeOfOneWorker(0)
    await waitFor(() => began().length === 3, 'the class that nobody needs yet')
    wantOther()
    const needed = voice.conditioning(0, 90)
    for (let utterance = 0; utterance < CALIBRATION_UTTERANCES; utterance++) await pool.finish(MEASURED)
    expect(began()).toEqual([2, 2, 0, 0, 'other'])
    expect(await needed).toEqual(Float32Array.of(1))
  })

  it('prepares a class once, after all that somebody waits for', async () => {
    const voice = await styles('conditioning', false).load('af_sky')
    voice.prepare(2)
    voice.prepare(2)
    expect(runner.ran.map(({ order }) => order)).toEqual(
      Array.from({ length: CALIBRATION_UTTERANCES }, () => ({ deadline: Number.POSITIVE_INFINITY, isAhead: true })),
    )
    expect(await voice.conditioning(2, 0)).toEqual(Float32Array.of(1))
    voice.prepare(2)
    expect(runner.ran).toHaveLength(CALIBRATION_UTTERANCES)
  })

  it('keeps what was measured for the next start, and leaves no half-written file', async () => {
    await (await styles().load('af_sky')).conditioning(1, 0)
    await allStored()
    expect(readdirSync(join(folder, 'conditioning'))).toContain(`af_sky-${STYLE_CLASSES[1]!.row}.f32`)
    runner.ran.length = 0
    expect(await (await styles().load('af_sky')).conditioning(1, 0)).toEqual(Float32Array.of(1))
    expect(runner.ran).toEqual([])
  })

  it('lets nobody read half of what another node that shares the folder is writing', async () => {
    const gate = () => {
      let open = () => {}
      const opened = new Promise<void>((resolve) => {
        open = resolve
      })
      return { open, opened }
    }
    const [first, second] = [await styles('shared', false).load('af_sky'), await styles('shared', false).load('af_sky')]
    const named = gate()
    disk.renamed = named.opened
    const stored = first.conditioning(1, 0)
    await waitFor(() => disk.opened === 1, 'the first to write')
    const whole = gate()
    disk.written = whole.opened
    const storedAgain = second.conditioning(1, 0)
    await waitFor(() => disk.opened === 2, 'the second to begin')
    named.open()
    await stored
    const third = await styles('shared', false).load('af_sky')
    runner.ran.length = 0
    expect([await third.conditioning(1, 0), runner.ran]).toEqual([Float32Array.of(1), []])
    whole.open()
    await storedAgain
    expect(readdirSync(join(folder, 'shared'))).toEqual([`af_sky-${STYLE_CLASSES[1]!.row}.f32`])
  })

  it('works without a place to keep it', async () => {
    writeFileSync(join(folder, 'file'), '')
    const voice = await styles('file/below').load('af_sky')
    expect(await voice.conditioning(0, 0)).toBeDefined()
  })

  it('tries again after a measurement failed', async () => {
    const voice = await styles().load('af_sky')
    runner.before = () => {
      throw new Error('the worker is gone')
    }
    await expect(voice.conditioning(0, 0)).rejects.toThrow('the worker is gone')
    runner.before = () => {}
    expect(await voice.conditioning(0, 0)).toBeDefined()
    await allStored()
  })

  it('rejects a voice without a file, every time it is asked', async () => {
    const all = styles()
    await expect(all.load('bf_emma')).rejects.toThrow('ENOENT')
    await expect(all.load('bf_emma')).rejects.toThrow('ENOENT')
  })

  it('rejects a voice that the model does not have', async () => {
    await expect(styles().load('af_nobody')).rejects.toThrow('no voice af_nobody')
  })

  it('rejects a file of the wrong size', async () => {
    writeFileSync(join(folder, 'voices', 'bf_emma.bin'), new Float32Array(7))
    await expect(styles().load('bf_emma')).rejects.toThrow('bf_emma has the wrong size')
  })
})
