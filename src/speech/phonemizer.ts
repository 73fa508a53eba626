import loadEspeak from '@echogarden/espeak-ng-emscripten'
import { cleanText } from './normalize/clean.ts'
import { normalizeSentence } from './normalize/normalize.ts'
import { type Clause, cutClauses } from './pronunciation/clauses.ts'
import { PHONEME_TABLES } from './pronunciation/phoneme-tables.ts'
import { phonemesOf } from './pronunciation/phonemes.ts'
import { findSentences } from './sentences.ts'
import type { Pronunciation } from './task-protocol.ts'

/** Turns text into the symbols the model was trained on. */
export interface Phonemizer {
  /**
   * Phonemes of a text of any kind, words apart by spaces, punctuation in its place: "həlˈO ðˈɛɹ." Only symbols of the
   * model's vocabulary. Empty when the text holds nothing that can be spoken. Each call stands alone.
   */
  phonemes(text: string, pronunciation: Pronunciation): string
}

export interface PhonemizerOptions {
  /** Changes of language after which eSpeak NG is loaded anew. */
  readonly voiceChangesMax?: number
}

/**
 * eSpeak NG loses under 1 kB of its memory at each change of language, which nothing gives back: at this many, about
 * 17 MB, a fresh one takes its place.
 */
const VOICE_CHANGES_MAX = 20_000

/** Loads eSpeak NG (GPL-3.0, WebAssembly; about 130 ms and 45 MB) into this thread. */
export async function createPhonemizer(options: PhonemizerOptions = {}): Promise<Phonemizer> {
  return new EspeakPhonemizer(await Espeak.load(), options.voiceChangesMax ?? VOICE_CHANGES_MAX)
}

class EspeakPhonemizer implements Phonemizer {
  readonly #voiceChangesMax: number
  #espeak: Espeak
  #isReloading = false

  constructor(espeak: Espeak, voiceChangesMax: number) {
    this.#espeak = espeak
    this.#voiceChangesMax = voiceChangesMax
  }

  phonemes(text: string, pronunciation: Pronunciation): string {
    const clauses = findSentences(text, pronunciation).flatMap(({ start, end }, index, sentences) =>
      clausesOf(text.slice(start, end), pronunciation, index === sentences.length - 1),
    )
    const table = PHONEME_TABLES[pronunciation]
    const speech = joinClauses(
      clauses.map((clause) => ({
        ...clause,
        text: SPEAKABLE.test(clause.text) ? phonemesOf(this.#espeak.ipa(clause.text, table.espeakVoice), table) : '',
      })),
    )
    if (this.#espeak.voiceChanges >= this.#voiceChangesMax) this.#reload()
    return speech
  }

  /** Goes on with the old eSpeak until the fresh one is there, and if none comes, tries again at the next text. */
  #reload(): void {
    if (this.#isReloading) return
    this.#isReloading = true
    Espeak.load()
      .then(
        (espeak) => {
          this.#espeak = espeak
        },
        () => {},
      )
      .finally(() => {
        this.#isReloading = false
      })
  }
}

/** Letters, figures, and the signs that are read as words even alone. */
const SPEAKABLE = /[\p{L}\p{N}%$£€¥₹°+=×÷±/]/u

function clausesOf(sentence: string, pronunciation: Pronunciation, isLast: boolean): Clause[] {
  const words = normalizeSentence(cleanText(sentence), pronunciation)
  const clauses = cutClauses(words)
  const last = clauses.at(-1)
  if (last === undefined || last.marks !== '') return clauses
  // An abbreviation may have taken the full stop with it, and a heading or list item never had one.
  const marks = /\.["'”’)]*$/.test(sentence) ? '.' : isLast ? '' : ','
  return [...clauses.slice(0, -1), { ...last, marks }]
}

/** Phonemes with the punctuation set back: opening marks before, the others after, none twice and none before all. */
function joinClauses(clauses: readonly Clause[]): string {
  let speech = ''
  let opening = ''
  for (const { opens, text, marks } of clauses) {
    opening += opens
    if (text !== '') {
      speech += `${speech === '' ? '' : ' '}${opening}${text}${marks}`
      opening = ''
    } else if (speech !== '' && !/[.,;:!?…—”)]$/.test(speech)) speech += marks
  }
  return speech
}

/** One eSpeak NG, which holds one voice at a time. */
class Espeak {
  readonly #module: Awaited<ReturnType<typeof loadEspeak>>
  readonly #worker: InstanceType<Awaited<ReturnType<typeof loadEspeak>>['eSpeakNGWorker']>
  #voice: string | undefined
  voiceChanges = 0

  static async load(): Promise<Espeak> {
    return new Espeak(await loadEspeak())
  }

  private constructor(module: Awaited<ReturnType<typeof loadEspeak>>) {
    this.#module = module
    this.#worker = new module.eSpeakNGWorker()
  }

  /** Phonemes as eSpeak writes them: sounds apart by `_`, words by spaces. The text holds no NUL and no lone surrogate. */
  ipa(text: string, voice: string): string {
    this.#setVoice(voice)
    const pointer = this.#module.getPointer(this.#worker.text_to_phonemes(text, 1))
    const memory = this.#module.HEAPU8
    const ipa = utf8.decode(memory.subarray(pointer, memory.indexOf(0, pointer)))
    this.#module._free(pointer)
    return ipa
  }

  #setVoice(voice: string): void {
    if (voice === this.#voice) return
    // An unknown name leaves the voice before in place: the text would be read in another language.
    if (this.#worker.set_voice(voice) !== 0) throw new Error(`eSpeak NG has no voice ${voice}`)
    this.#voice = voice
    this.voiceChanges += 1
  }
}

const utf8 = new TextDecoder()
