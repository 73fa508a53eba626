// Run by processes.test.ts in processes of its own: the compiled code, told over IPC which catalog and folder to use.
import { parseCatalog } from '../../dist/models/catalog.js'
import { ensurePacks } from '../../dist/models/packs.js'
import { lineReporter } from '../../dist/models/reporter.js'
import { systemClock } from '../../dist/src/runtime/clock.js'

// A process takes its time to start on a busy machine: nothing is given up for that.
const clock = { ...systemClock, after: () => () => {} }

process.once('message', async ({ modelsDir, packs }) => {
  const reporter = lineReporter((line) => process.send({ line }))
  await ensurePacks(['tiny'], {
    modelsDir,
    clock,
    reporter,
    catalog: parseCatalog({ packs }),
    installers: {
      tiny: { version: '1', perProcessor: false, install: async () => process.send({ line: 'installed' }) },
    },
  })
  process.disconnect()
})
