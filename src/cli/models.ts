import type { Command } from 'commander'
import { defaultPackNames, UnknownPackError } from '../../models/catalog.ts'
import { MissingFilesError } from '../../models/missing-files.ts'
import {
  type Difference,
  listPacks,
  type PackStatus,
  type Verification,
  verifyPacks,
} from '../../models/pack-survey.ts'
import { ensurePacks, type PackOptions } from '../../models/packs.ts'
import { lineReporter, megabytes, reporterFor } from '../../models/reporter.ts'
import { loadConfig } from '../config.ts'
import { systemClock } from '../runtime/clock.ts'
import { type CommonOptions, withCommonOptions } from './ledger-command.ts'
import { jsonLine, type Output, tableText } from './output.ts'
import { ExitWith } from './program.ts'

/**
 * `models list`, `models pull` and `models verify`. Only `pull` changes the folder of models; none looks into that of the data, which
 * they take as every command does. `options` replaces the shipped catalog, installers and clients, for tests.
 */
export function registerModels(program: Command, output: Output, options: Partial<PackOptions> = {}): void {
  const models = program.command('models').description('the packs of model files: sizes, licences, checksums')
  const modelsDir = () => options.modelsDir ?? loadConfig().modelsDir

  withCommonOptions(models.command('list').description('every pack and how much of it is here')).action(
    async ({ json }: CommonOptions) => {
      const folder = modelsDir()
      const packs = await listPacks(folder, options)
      await output.out(json ? jsonLine({ models_dir: folder, packs }) : `${packTable(packs)}in ${folder}\n`)
    },
  )

  withCommonOptions(models.command('pull').description('fetch, check and install packs; what is there already is kept'))
    .argument('[pack...]', 'packs to fetch; without one, those that the server needs')
    .option('--from <folder>', 'look here for the files before downloading any')
    .action(async (named: string[], { from, json }: CommonOptions & { from?: string }, command: Command) => {
      const stop = new AbortController()
      const interrupt = () => stop.abort(new Error('interrupted: the next pull goes on from here'))
      process.once('SIGINT', interrupt)
      try {
        const folder = modelsDir()
        const installed = await ensurePacks(named.length > 0 ? named : defaultPackNames(options.catalog), {
          clock: systemClock,
          reporter: json ? lineReporter((line) => output.err(`${line}\n`)) : reporterFor(process.stderr),
          signal: stop.signal,
          folders: from === undefined ? [] : [from],
          ...options,
          modelsDir: folder,
        })
        const names = [...installed.keys()]
        const ready = `${names.join(', ')}: ready in ${folder}\n`
        await output.out(json ? jsonLine({ models_dir: folder, packs: names }) : ready)
      } catch (error) {
        if (error instanceof UnknownPackError) command.error(`error: ${error.message}`, { exitCode: 2 })
        if (error instanceof MissingFilesError) command.error(error.message, { exitCode: 1 })
        if (stop.signal.aborted) command.error(String(stop.signal.reason.message), { exitCode: 130 })
        throw error
      } finally {
        process.removeListener('SIGINT', interrupt)
      }
    })

  withCommonOptions(models.command('verify').description('read every file and compare its sha256')).action(
    async ({ json }: CommonOptions) => {
      const folder = modelsDir()
      const verified = await verifyPacks(folder, options)
      const ok = verified.differences.length === 0
      await output.out(json ? jsonLine({ ok, models_dir: folder, ...verified }) : `${verificationText(verified)}\n`)
      if (!ok) throw new ExitWith(1)
    },
  )
}

function packTable(packs: readonly PackStatus[]): string {
  const rows = packs.map(({ name, what, bytes, licence, state }) => [name, what, megabytes(bytes), licence, state])
  return tableText(['pack', 'what', 'size', 'licence', 'state'], rows)
}

function verificationText({ packs, files, differences, uninstalled }: Verification): string {
  return [
    ...differences.map(differenceLine),
    ...uninstalled.map((pack) => `${pack}: the files are right; the next start or \`models pull\` installs it`),
    `${packs.length} packs, ${files} files read: ${differences.length === 0 ? 'all right' : `${differences.length} differ`}`,
  ].join('\n')
}

function differenceLine({ pack, path, expected, found }: Difference): string {
  if (found === null) return `${pack}/${path}: missing (${expected.bytes} bytes, sha256 ${expected.sha256})`
  return `${pack}/${path}: ${found.bytes} bytes, sha256 ${found.sha256} instead of ${expected.bytes}, ${expected.sha256}`
}
