import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { filesToLeaveOut } from './programs.ts'

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...filesToLeaveOut()],
    // What `src/config.ts` sets for a node: ONNX Runtime is to report to nobody.
    env: { ORT_DISABLE_TELEMETRY: '1' },
    globalSetup: ['test/global-setup.ts'],
    // They only bound a failure: a busy machine takes its time to load models.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 120_000 } },
    // Two cores: more files at once would only make each other wait.
    maxWorkers: 2,
  },
})
