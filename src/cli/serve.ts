import { createHash } from 'node:crypto'
import { constants } from 'node:os'
import { basename, join } from 'node:path'
import type { Command } from 'commander'
import { defaultPackNames } from '../../models/catalog.ts'
import { readManifest } from '../../models/kokoro/manifest.ts'
import { MissingFilesError } from '../../models/missing-files.ts'
import { ensurePacks } from '../../models/packs.ts'
import { type Reporter, reporterFor } from '../../models/reporter.ts'
import { heardLanguages, readWhisperManifest } from '../../models/whisper/manifest.ts'
import { ensureOwnWhisper } from '../../models/whisper/own-folder.ts'
import { type Config, loadConfig } from '../config.ts'
import type { ListeningModels, ModelFolders, RunningNode } from '../main.ts'
import { systemClock } from '../runtime/clock.ts'
import { createLog } from '../runtime/log.ts'
import { firstSteps } from './first-steps.ts'
import { withDataOption } from './ledger-command.ts'
import type { Output } from './output.ts'

const DEFAULT_WHISPER = 'whisper-base'

/**
 * `serve`: fetches what is missing, starts the node, and ends it on SIGTERM or SIGINT; a second signal, or one before all is fetched,
 * ends it at once.
 */
export function registerServe(program: Command, output: Output): void {
  withDataOption(program.command('serve').description('run the node'))
    .option('--print-config', 'show the settings in force and do nothing else')
    .action(async ({ printConfig, data }: { printConfig?: true; data?: string }, command: Command) => {
      const config = loadConfig(data === undefined ? {} : { SYRINX_DATA: data })
      if (printConfig) {
        await output.out(`${JSON.stringify(config, null, 2)}\n`)
        return
      }
      const log = createLog(config.logLevel)
      for (const name of config.unknownNames)
        log.warn({ name }, 'this setting means nothing to Syrinx: is it misspelt?')
      const signals = stopOnSignals()
      try {
        const models = await modelFolders(config)
        // Not above: every other command would load the whole node with it.
        const { startNode } = await import('../main.ts')
        signals.starting()
        const node = await startNode(config, models, log)
        // Even if it is to end at once: nothing shows these keys again.
        if (node.firstAccount) await output.out(firstSteps(node.firstAccount, node.url, config.playground))
        if (signals.started(node)) await output.out(`listening on ${node.url}\n`)
      } catch (error) {
        if (error instanceof MissingFilesError) command.error(error.message, { exitCode: 1 })
        log.debug({ err: error }, 'the node could not start')
        output.err(`error: ${error instanceof Error ? error.message : String(error)}\n`)
        // Threads that were started already would keep the process alive.
        process.exit(1)
      }
    })
}

/** Installs what is missing, and says where all of it lies. */
export async function modelFolders(config: Config): Promise<ModelFolders> {
  const { modelsDir } = config
  const reporter = reporterFor(process.stderr)
  await ensurePacks(packsFor(config), { modelsDir, clock: systemClock, reporter })
  const kokoro = join(modelsDir, 'kokoro-82m')
  const installed = join(kokoro, 'installed')
  const { sha256 } = await readManifest(installed)
  const version = createHash('sha256').update(JSON.stringify(sha256)).digest('hex').slice(0, 16)
  return {
    kokoroInstalled: installed,
    kokoroVoices: join(modelsDir, 'kokoro-voices', 'voices'),
    kokoroConditioning: join(kokoro, 'conditioning', version),
    encoderInstalled: join(modelsDir, 'speaker-encoder', 'installed'),
    sileroModel: join(modelsDir, 'silero-vad', 'silero_vad_16k_op15.onnx'),
    listening: config.sttEngine === 'off' ? undefined : await listeningModels(config, reporter),
  }
}

/** Packs that the node needs: not all of the usual ones where it only speaks, or listens with a model of its owner's. */
function packsFor({ sttEngine, sttModel }: Config): string[] {
  return defaultPackNames().filter((name) => {
    return name !== DEFAULT_WHISPER || (sttEngine !== 'off' && sttModel === undefined)
  })
}

async function listeningModels({ modelsDir, sttModel }: Config, reporter: Reporter): Promise<ListeningModels> {
  const whisperInstalled =
    sttModel === undefined
      ? join(modelsDir, DEFAULT_WHISPER, 'installed')
      : await ensureOwnWhisper(sttModel, modelsDir, reporter)
  const name = sttModel === undefined ? DEFAULT_WHISPER : basename(sttModel)
  return {
    whisperInstalled,
    whisper: { name, languages: heardLanguages(await readWhisperManifest(whisperInstalled)) },
  }
}

/**
 * Handles signals from now on. The first process of a container has to: Linux keeps from it every signal that it has no handler for, and
 * `docker stop` would wait in vain. While models are fetched a signal ends the process at once. After `starting` it may not: threads
 * that are cut off while they load a model abort the process. So a first signal waits for the node.
 */
function stopOnSignals() {
  let state: 'fetching' | 'starting' | RunningNode = 'fetching'
  let signals = 0
  const stop = (node: RunningNode) => void node.stop().then(() => process.exit(0))
  const onSignal = (signal: 'SIGTERM' | 'SIGINT') => {
    signals += 1
    if (state === 'fetching' || (state === 'starting' && signals > 1)) process.exit(128 + constants.signals[signal])
    if (state === 'starting') return
    if (signals === 1) stop(state)
    else state.stopNow()
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  return {
    starting() {
      state = 'starting'
    },
    /** Whether the node goes on: it was not told to stop while it started. */
    started(node: RunningNode): boolean {
      state = node
      if (signals === 0) return true
      stop(node)
      return false
    },
  }
}
