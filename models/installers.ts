import { dirname } from 'node:path'
import { GRAPH_VERSION } from './kokoro/manifest.ts'
import { ENCODER_CHECKPOINT, ENCODER_VERSION } from './speaker/manifest.ts'
import { WHISPER_VERSION } from './whisper/manifest.ts'

/** Prepares a pack's files for use, once a models folder: graphs rewritten, weights converted. */
export interface Installer {
  /** Part of what an installation was made from: another version installs anew. */
  readonly version: string
  /** What it makes was tested on this machine's processor: another model of processor installs anew. */
  readonly perProcessor: boolean
  /**
   * Writes its files below `outputDir`, an empty folder that gets its final place afterwards. The result is kept as JSON in
   * the pack's record, for whoever loads the files.
   */
  install(work: InstallWork): Promise<unknown>
}

export interface InstallWork {
  readonly outputDir: string
  /** Path of a fetched file, or of a folder of them, of the pack or of one that it needs. */
  path(pack: string, file: string): string
  onStep(step: string): void
}

export type Installers = Readonly<Record<string, Installer>>

/** Packs that are not named here are used as they are fetched. */
export const installers: Installers = {
  'kokoro-82m': {
    // `kokoro/install.ts` itself is loaded only to install: it brings the inference runtime with it.
    version: String(GRAPH_VERSION),
    perProcessor: true,
    async install({ outputDir, path, onStep }) {
      const { installKokoro } = await import('./kokoro/install.ts')
      const result = await installKokoro({
        shippedGraph: path('kokoro-82m', 'kokoro-v1.0.int8.onnx'),
        voices: path('kokoro-voices', 'voices'),
        outputDir,
        onStep: (step, of, label) => onStep(`step ${step} of ${of}, ${label}`),
      })
      if (result.warning !== undefined) onStep(result.warning)
      return result
    },
  },
  'whisper-base': whisperInstaller('whisper-base'),
  'whisper-tiny.en': whisperInstaller('whisper-tiny.en'),
  'speaker-encoder': {
    version: String(ENCODER_VERSION),
    // It computes in float32 alone.
    perProcessor: false,
    async install({ outputDir, path }) {
      const { installSpeakerEncoder } = await import('./speaker/install.ts')
      await installSpeakerEncoder(path('speaker-encoder', ENCODER_CHECKPOINT), outputDir)
      return null
    },
  },
}

function whisperInstaller(pack: string): Installer {
  return {
    version: String(WHISPER_VERSION),
    perProcessor: true,
    async install({ outputDir, path, onStep }) {
      const { installWhisper } = await import('./whisper/install.ts')
      const result = await installWhisper({
        folder: dirname(path(pack, 'model.bin')),
        outputDir,
        onStep: (step, of, label) => onStep(`step ${step} of ${of}, ${label}`),
      })
      if (result.warning !== undefined) onStep(result.warning)
      return result
    },
  }
}
