import { expect, it, onTestFinished, vi } from 'vitest'
import { createProgram, run } from '../../src/cli/program.ts'
import { registerServe } from '../../src/cli/serve.ts'

async function printedConfig(...words: string[]): Promise<Record<string, unknown>> {
  let printed = ''
  const output = {
    out: async (text: string) => {
      printed += text
    },
    err: (text: string) => expect.fail(text),
  }
  const program = createProgram(output)
  registerServe(program, output)
  expect(await run(program, ['serve', '--print-config', ...words], output)).toBe(0)
  return JSON.parse(printed)
}

it('serve --print-config shows what the environment says, and --data goes before it', async () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('SYRINX_DATA', '/from-environment')
  vi.stubEnv('SYRINX_WORKERS', '3')
  expect(await printedConfig()).toMatchObject({ dataDir: '/from-environment', workers: 3 })
  expect(await printedConfig('--data', '/given')).toMatchObject({ dataDir: '/given', workers: 3 })
})
