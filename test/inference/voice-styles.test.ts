import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { VoiceStyles } from '../../src/inference/voice-styles.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { STYLE_CLASSES, STYLE_WIDTH } from '../../src/speech/style-classes.ts'
import { AnalyticRunner } from './analytic-runner.ts'

let folder: string
let runner: AnalyticRunner
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'syrinx-styles-'))
  mkdirSync(join(folder, 'voices'))
  // Each row of the table holds its own number.
  const table = Float32Array.from({ length: 510 * STYLE_WIDTH }, (_, i) => Math.floor(i / STYLE_WIDTH))
  writeFileSync(join(folder, 'voices', 'af_test.bin'), table)
  runner = new AnalyticRunner()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function styles(conditioning = 'conditioning'): VoiceStyles {
  return new VoiceStyles(join(folder, 'voices'), join(folder, conditioning), runner, silentLog)
}

describe('VoiceStyles', () => {
  it('takes one row of the table for each length class', async () => {
    const { rows } = await styles().load('af_test')
    const first = STYLE_CLASSES.map((_, index) => rows[index * STYLE_WIDTH])
    expect(first).toEqual(STYLE_CLASSES.map(({ row }) => row))
  })

  it('has a class calibrated once however often it is asked for, with that class’s row, as batch work', async () => {
    const voice = await styles().load('af_test')
    expect(voice.conditioning(2)).toBeUndefined()
    await Promise.all([voice.prepare(2), voice.prepare(2)])
    await voice.prepare(2)
    expect(runner.tasks('calibrate').map(({ style }) => [style.length, style[0]])).toEqual([
      [STYLE_WIDTH, STYLE_CLASSES[2]!.row],
    ])
    expect(runner.ran[0]!.order.deadline).toBe(Number.POSITIVE_INFINITY)
    expect(voice.conditioning(2)).toEqual(Float32Array.of(1))
  })

  it('keeps what was measured for the next start, and leaves no half-written file', async () => {
    await (await styles().load('af_test')).prepare(1)
    expect(readdirSync(join(folder, 'conditioning'))).toEqual([`af_test-${STYLE_CLASSES[1]!.row}.f32`])
    const again = await styles().load('af_test')
    expect([again.conditioning(0), again.conditioning(1)]).toEqual([undefined, Float32Array.of(1)])
  })

  it('works without a place to keep it', async () => {
    writeFileSync(join(folder, 'file'), '')
    const voice = await styles('file/below').load('af_test')
    await voice.prepare(0)
    expect(voice.conditioning(0)).toBeDefined()
  })

  it('tries again after a calibration failed', async () => {
    const voice = await styles().load('af_test')
    runner.before = () => {
      throw new Error('the worker is gone')
    }
    await expect(voice.prepare(0)).rejects.toThrow('the worker is gone')
    runner.before = () => {}
    await voice.prepare(0)
    expect(voice.conditioning(0)).toBeDefined()
  })

  it('rejects a voice without a file, every time it is asked', async () => {
    const all = styles()
    await expect(all.load('af_nobody')).rejects.toThrow('ENOENT')
    await expect(all.load('af_nobody')).rejects.toThrow('ENOENT')
  })

  it('rejects a file of the wrong size', async () => {
    writeFileSync(join(folder, 'voices', 'af_short.bin'), new Float32Array(7))
    await expect(styles().load('af_short')).rejects.toThrow('af_short')
  })
})
