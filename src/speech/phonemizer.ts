import loadEspeak from '@echogarden/espeak-ng-emscripten'
import { cleanText } from './normalize/clean.ts'
import { normalizeSentence } from './normalize/normalize.ts'
import { type Clause, cutClauses } from './pronunciation/clauses.ts'
import { PHONEME_TABLES } from './pronunciation/phoneme-tables.ts'
import { phonemesOf } from './pronunciation/phonemes.ts'
import { findSentences } from './sentences.ts'
import type { Pronunciation, SpelledPronunciation, SpokenPart } from './task-protocol.ts'

/** Turns text into the symbols the model was trained on. */
export interface Phonemizer {
  /**
   * Phonemes of a text of any kind, words apart by spaces, punctuation in its place: "həlˈO ðˈɛɹ." Only symbols of the
   * model's vocabulary. Empty when the text holds nothing that can be spoken. Each call stands alone. `parts` are spoken
   * in place of the text; Japanese and Chinese, which have to be read with a dictionary first, always come in parts.
   */
  phonemes(text: string, pronunciation: Pronunciation, parts?: readonly SpokenPart[]): string
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

  phonemes(text: string, pronunciation: Pronunciation, parts = [textPart(text, pronunciation)]): string {
    const speech = joinClauses(
      parts.flatMap((part, index) =>
        part.kind === 'phonemes'
          ? settledClauses(part.phonemes)
          : this.#clauses(part.text, part.pronunciation, index < parts.length - 1),
      ),
    )
    if (this.#espeak.voiceChanges >= this.#voiceChangesMax) this.#reload()
    return speech
  }

  /** Clauses with phonemes for words. `goesOn`: something is spoken after the text, perhaps in its last sentence. */
  #clauses(text: string, pronunciation: SpelledPronunciation, goesOn: boolean): Clause[] {
    const clauses = findSentences(text, pronunciation).flatMap(({ start, end }, index, sentences) =>
      clausesOf(text.slice(start, end), pronunciation, index === sentences.length - 1),
    )
    const spoken = clauses.map((clause) => ({ ...clause, text: this.#words(clause.text, pronunciation) }))
    const last = spoken.at(-1)
    if (goesOn && last?.marks === '.' && isOpen(text, pronunciation)) spoken[spoken.length - 1] = { ...last, marks: '' }
    const opens = goesOn ? (/["“(]+(?=\s*$)/.exec(text)?.[0] ?? '').replaceAll('"', '“') : ''
    return opens === '' ? spoken : [...spoken, { opens, text: '', marks: '' }]
  }

  /** Words without marks; those in Cyrillic letters are Russian where the others are in Latin ones. */
  #words(text: string, pronunciation: SpelledPronunciation): string {
    const runs = CYRILLIC_SPELLED.includes(pronunciation) ? [text] : text.split(CYRILLIC_WORDS)
    return runs
      .map((run, index) => this.#sounds(run, index % 2 === 0 ? pronunciation : 'ru'))
      .filter((sounds) => sounds !== '')
      .join(' ')
  }

  #sounds(words: string, pronunciation: SpelledPronunciation): string {
    if (!SPEAKABLE.test(words)) return ''
    const table = PHONEME_TABLES[pronunciation]
    return phonemesOf(this.#espeak.ipa(words, table.espeakVoice), table)
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

const CYRILLIC_SPELLED: readonly Pronunciation[] = ['ru', 'uk']
const CYRILLIC_WORDS = /(\p{Script=Cyrillic}[\p{Script=Cyrillic}\p{M}\s-]*)/u
/** Letters, figures, and the signs that are read as words even alone. */
const SPEAKABLE = /[\p{L}\p{N}%$£€¥₹°+=×÷±/]/u

function textPart(text: string, pronunciation: Pronunciation): SpokenPart {
  if (pronunciation === 'ja' || pronunciation === 'zh') throw new Error(`text in ${pronunciation} was not read before`)
  return { kind: 'text', text, pronunciation }
}

/** Phonemes that were settled elsewhere, as a clause; punctuation at their edges belongs to what is beside them. */
function settledClauses(phonemes: string): Clause[] {
  const [, marks = '', text = '', opens = ''] = /^([.,;:!?…—”)]*) ?(.*?) ?([“(]*)$/su.exec(phonemes) ?? []
  return [
    { opens: '', text: '', marks },
    { opens: '', text, marks: '' },
    { opens, text: '', marks: '' },
  ]
}

/** Whether a capitalised word after the text would belong to its last sentence, as "Dr. Name" does. */
function isOpen(text: string, pronunciation: SpelledPronunciation): boolean {
  return findSentences(`${text.trimEnd()} Name`, pronunciation).at(-1)!.start < text.trimEnd().length
}

function clausesOf(sentence: string, pronunciation: SpelledPronunciation, isLast: boolean): Clause[] {
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
