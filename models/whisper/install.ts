import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { WeightsFile } from '../onnx/weights-file.ts'
import { type AlignmentHeads, decoderGraph } from './decoder-graph.ts'
import { encoderGraph } from './encoder-graph.ts'
import { formOf, type WhisperForm } from './forms.ts'
import { WHISPER_FILES, WHISPER_VERSION, WHISPER_WEIGHTS_FILE, writeWhisperManifest } from './manifest.ts'
import { ModelFile } from './model-file.ts'
import { computeReference, differenceToReference } from './self-test.ts'
import { readShape, type WhisperShape } from './shape.ts'
import { readDecodingSettings, readVocabulary } from './vocabulary.ts'

/**
 * Largest relative difference to float32 at which a form counts as correct. Measured: 0.04 for mixed and 0.02 for blocks, and 0.19
 * with every weight above four fifths of its range clipped.
 */
const DIFFERENCE_MAX = 0.1
const STEPS = 3

export interface WhisperInstallOptions {
  /** A model in CTranslate2's format, as faster-whisper uses it: `model.bin`, `config.json`, `vocabulary.json` or `.txt`. */
  readonly folder: string
  /** Exists and is empty. */
  readonly outputDir: string
  readonly onStep?: (step: number, of: number, label: string) => void
}

export interface WhisperInstallResult {
  readonly form: WhisperForm
  /** Set where the fastest form cannot be trusted on this machine. */
  readonly warning?: string
}

/**
 * Writes the graphs that the workers run, from the weights alone, and tests on a signal whether this processor computes them right:
 * where it does not, a slower form is installed. Throws where the folder holds no Whisper model.
 */
export async function installWhisper(options: WhisperInstallOptions): Promise<WhisperInstallResult> {
  const { folder, outputDir } = options
  let step = 0
  const report = (label: string) => options.onStep?.(++step, STEPS, label)
  const vocabulary = await readVocabulary(folder)
  const settings = await readDecodingSettings(folder)
  const file = new ModelFile(join(folder, 'model.bin'))
  try {
    const shape = readShape(file)
    report('comparing 8 bits with the model in full')
    const chosen = await chooseForm(file)
    report('writing the graphs')
    const weights = new WeightsFile(WHISPER_WEIGHTS_FILE)
    const heads = settings.alignmentHeads ?? upperHeads(shape)
    const encoder = encoderGraph(file, formOf(chosen.form))
    await writeFile(join(outputDir, WHISPER_FILES.encoder), encoder.serialize(weights))
    const decoder = decoderGraph(file, formOf(chosen.form), heads)
    await writeFile(join(outputDir, WHISPER_FILES.decoder), decoder.serialize(weights))
    report('writing the weights')
    await weights.writeTo(join(outputDir, WHISPER_WEIGHTS_FILE))
    const { texts, multilingual, ...signs } = vocabulary
    await writeFile(join(outputDir, WHISPER_FILES.texts), JSON.stringify(texts))
    await writeWhisperManifest(outputDir, {
      version: WHISPER_VERSION,
      form: chosen.form,
      difference: chosen.difference,
      shape,
      ...signs,
      ...(multilingual && { multilingual: { ...multilingual, languages: { ...multilingual.languages } } }),
      suppressed: [...settings.suppressed],
      suppressedAtStart: [...settings.suppressedAtStart],
    })
    return chosen.warning === undefined ? { form: chosen.form } : { form: chosen.form, warning: chosen.warning }
  } finally {
    file.close()
  }
}

async function chooseForm(file: ModelFile) {
  const reference = await computeReference(file)
  const rejections: string[] = []
  for (const form of ['mixed', 'blocks'] as const) {
    const difference = await differenceToReference(file, form, reference)
    if (difference <= DIFFERENCE_MAX) return { form, difference, warning: warningOf(rejections) }
    rejections.push(`${form} ${difference.toFixed(2)}`)
  }
  return { form: 'float', difference: 0, warning: warningOf(rejections) } as const
}

function warningOf(rejections: readonly string[]): string | undefined {
  if (rejections.length === 0) return undefined
  return `8-bit products differ from the model on this processor (${rejections.join(', ')}): recognition is slower`
}

/** Where nobody has named the heads that follow the audio, those of the upper half of the decoder do so on average. */
function upperHeads({ decoderLayers, decoderHeads }: WhisperShape): AlignmentHeads {
  const first = Math.floor(decoderLayers / 2)
  return Array.from({ length: (decoderLayers - first) * decoderHeads }, (_, index) => {
    return [first + Math.floor(index / decoderHeads), index % decoderHeads] as const
  })
}
