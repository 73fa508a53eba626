import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lastValueFrom, toArray } from 'rxjs'
import { ensurePacks } from '../models/packs.ts'
import { lineReporter } from '../models/reporter.ts'
import { HEARD_WIDTH, heardOf, loadVoiceSpace, type VoiceSpace } from '../models/voices/voice-space.ts'
import { fromPcm16, joinPcm, pcmBytes } from '../src/audio/pcm.ts'
import { wavHeader } from '../src/audio/wav.ts'
import { loadConfig } from '../src/config.ts'
import { systemClock } from '../src/runtime/clock.ts'
import { Demand } from '../src/runtime/demand.ts'
import { LISTENING_SAMPLE_RATE } from '../src/speech/recognition.ts'
import { SAMPLE_RATE, type VoicePrint } from '../src/speech/task-protocol.ts'
import { UnfitReference } from '../src/speech/voice-fitting.ts'
import { PRESET_VOICES } from '../src/speech/voices.ts'
import { resample } from '../workers/resample.ts'
import { type FittingNode, startFittingNode } from './fitting-node.ts'
import { type Judge, startJudge } from './judge.ts'
import { type Clip, errorsOf, FAMILIES } from './languages.ts'
import { type CepstralVoice, cepstralVoice, divergence } from './mfcc-judge.ts'
import { CALIBRATION_SPEAKERS, JUDGED_SPEAKERS, recordingOf } from './speakers.ts'
import { median } from './statistics.ts'
import type { BenchTable } from './table.ts'
import { wordErrors, wordsOf } from './word-errors.ts'

/** How much of a clip is enrolled; the rest is what the voice is compared with. */
const ENROLLED_SHARE = 0.6
/** `BENCH_VOICES_SPEAKERS=4`: fewer speakers, for a shorter run; 40: also those whom the space was made with. */
const SPEAKERS = [...JUDGED_SPEAKERS, ...CALIBRATION_SPEAKERS].slice(
  0,
  Number(process.env.BENCH_VOICES_SPEAKERS ?? JUDGED_SPEAKERS.length),
)
/** Nobody enrolled with these. */
const SENTENCES = [
  'Yesterday morning our neighbour showed me the way to the old church.',
  'Nobody knows how long the weather will hold, so we had better leave soon.',
]
const LOW_VOICE_HZ = 150
const SEMITONES = 12 / Math.LN2

/** Where the recogniser spells as the sentences do. */
const OTHER_LANGUAGES = ['es', 'fr', 'it', 'pt']
/** Enrolled voices that speak them. */
const POLYGLOTS = 2

/** Voices of people who were never heard before, enrolled, and compared with other words of the same people. */
export async function voicesBench(): Promise<BenchTable[]> {
  const { modelsDir } = loadConfig()
  const packs = await ensurePacks(['whisper-base'], { modelsDir, clock: systemClock, reporter: lineReporter(() => {}) })
  const judge = await startJudge(packs.get('whisper-base')!.dir)
  const node = await startFittingNode()
  const folder = await mkdtemp(join(tmpdir(), 'syrinx-voices-'))
  try {
    const bench = new VoicesBench(node, judge, folder)
    return await bench.run()
  } finally {
    judge.close()
    await node.stop()
    await rm(folder, { recursive: true })
  }
}

/** A voice as the judges know it. */
interface Heard {
  readonly print: VoicePrint
  readonly cepstra: CepstralVoice
}

interface Clone extends Heard {
  readonly speaker: number
  readonly errors: number
  readonly words: number
  readonly overall: number
}

class VoicesBench {
  readonly #node: FittingNode
  readonly #judge: Judge
  readonly #folder: string
  readonly #presets = new Map<string, Clone>()

  constructor(node: FittingNode, judge: Judge, folder: string) {
    this.#node = node
    this.#judge = judge
    this.#folder = folder
  }

  async run(): Promise<BenchTable[]> {
    const clips = await Promise.all(SPEAKERS.map(recordingOf))
    const parts = clips.map((clip) => {
      const at = Math.floor(ENROLLED_SHARE * clip.length)
      return { enrolled: clip.slice(0, at), kept: clip.slice(at) }
    })
    const [enrolled, kept]: [Heard[], Heard[]] = [[], []]
    for (const part of parts) {
      enrolled.push(await this.#heard(part.enrolled, LISTENING_SAMPLE_RATE))
      kept.push(await this.#heard(part.kept, LISTENING_SAMPLE_RATE))
    }
    const space = await loadVoiceSpace()
    const bySex: Clone[] = []
    const nearest: Clone[] = []
    const sketched: Clone[] = []
    const fitted: Clone[] = []
    const polyglots: string[] = []
    const refused: string[] = []
    const [sketchSeconds, fitSeconds]: [number[], number[]] = [[], []]
    const enrol = async (speaker: number) => {
      const startedAt = systemClock.monotonic()
      const secondsSince = () => (systemClock.monotonic() - startedAt) / 1_000
      try {
        const { sketch, refine } = await this.#node.enroll(parts[speaker]!.enrolled)
        sketchSeconds.push(secondsSince())
        const voiceId = await refine()
        fitSeconds.push(secondsSince())
        return { sketch, voiceId }
      } catch (error) {
        if (!(error instanceof UnfitReference)) throw error
        refused.push(SPEAKERS[speaker]!)
        return undefined
      }
    }
    let enrolling = enrol(0)
    for (const speaker of parts.keys()) {
      const voice = await enrolling
      // Beside what is spoken of this one: long tasks leave a worker free.
      if (speaker + 1 < parts.length) enrolling = enrol(speaker + 1)
      if (voice === undefined) continue
      const { print } = enrolled[speaker]!
      bySex.push(await this.#preset(speaker, print.pitch < LOW_VOICE_HZ ? 'preset_am_michael' : 'preset_af_heart'))
      nearest.push(await this.#preset(speaker, mostAlike(space, print)))
      sketched.push(await this.#clone(speaker, voice.sketch))
      fitted.push(await this.#clone(speaker, voice.voiceId))
      if (polyglots.length < POLYGLOTS) polyglots.push(voice.voiceId)
      const likenesses = [sketched, fitted].map((clones) => cosine(clones.at(-1)!, kept[speaker]!).toFixed(3))
      process.stderr.write(`${SPEAKERS[speaker]}: ${likenesses.join(' → ')}\n`)
    }
    const stock: Clone[] = []
    for (const { id, language } of PRESET_VOICES) if (language === 'en') stock.push(await this.#preset(0, id))
    const themselves = fitted.map(({ speaker }) => ({ ...enrolled[speaker]!, speaker }))
    const likeness = (voices: readonly (Heard & { readonly speaker: number })[]) => [
      mean(voices.map((voice) => cosine(voice, kept[voice.speaker]!))).toFixed(3),
      firstAmong(voices, kept, cosine),
      firstAmong(voices, kept, (voice, other) => -divergence(voice.cepstra, other.cepstra)),
      median(voices.map((voice) => semitones(voice, kept[voice.speaker]!))).toFixed(2),
    ]
    const clarity = (clones: readonly Clone[]) => [
      `${sum(clones.map(({ errors }) => errors))} of ${sum(clones.map(({ words }) => words))}`,
      mean(clones.map(({ overall }) => overall)).toFixed(2),
    ]
    const table = {
      title: 'Voices enrolled from a clip',
      columns: [
        'voice',
        'likeness',
        'right one first',
        'by cepstra',
        'pitch error, semitones',
        'word errors',
        'DNSMOS',
      ],
      rows: [
        [`all ${stock.length} English stock voices`, '–', '–', '–', '–', ...clarity(stock)],
        ['stock voice of the same sex', ...likeness(bySex), ...clarity(bySex)],
        ['stock voice that is most alike', ...likeness(nearest), ...clarity(nearest)],
        ['enrolled, at first', ...likeness(sketched), ...clarity(sketched)],
        ['enrolled, in the end', ...likeness(fitted), ...clarity(fitted)],
        ['the speaker', ...likeness(themselves), '–', '–'],
      ],
      notes: [
        `${SPEAKERS.length} people read from books; ${ENROLLED_SHARE * 100} % of a clip is enrolled, the rest is what two other sentences by the voice are compared with.`,
        'Likeness: cosine of speaker embeddings, 1 the most. Right one first: of all the people, the one whose clip it was is the most alike; by cepstra: for a judge that has no part in the fit.',
        'Pitch: median of the absolute difference. Words as faster-whisper (base) understands them; DNSMOS P.835 overall.',
        `Enrolling took ${median(sketchSeconds).toFixed(1)} s (median), and ${median(fitSeconds).toFixed(1)} s until the voice was as it stays, beside the sentences of others.`,
        ...(refused.length > 0 ? [`Refused as too noisy or too short, and in no row: ${refused.join(', ')}.`] : []),
      ],
    }
    return [table, await this.#otherLanguages(polyglots)]
  }

  async #otherLanguages(voiceIds: readonly string[]): Promise<BenchTable> {
    const rows: string[][] = []
    for (const { voice, language, sentences } of FAMILIES) {
      if (!OTHER_LANGUAGES.includes(language)) continue
      const row = [language]
      for (const voiceId of [`preset_${voice}`, ...voiceIds]) {
        const clips: Clip[] = []
        for (const [index, sentence] of sentences.entries()) {
          const { path } = await this.#spoken(sentence, language, voiceId, index)
          clips.push({ ...(await this.#judge.judge(path, language)), sentence })
        }
        row.push(errorsOf(clips))
      }
      rows.push(row)
    }
    return {
      title: 'Enrolled voices in other languages',
      columns: [
        'character errors',
        'stock voice of the language',
        ...voiceIds.map((_, index) => `enrolled ${index + 1}`),
      ],
      rows,
      notes: [
        'Four sentences each, as faster-whisper (base) understands them: letters that were understood otherwise, of all.',
      ],
    }
  }

  async #spoken(text: string, language: string, voiceId: string, name: string | number) {
    const frames = await lastValueFrom(this.#node.speak(text, language, voiceId, Demand.unbounded()).pipe(toArray()))
    const pcm = joinPcm(frames.map(({ samples }) => samples))
    const path = join(this.#folder, `${language}-${voiceId}-${name}.wav`)
    await writeFile(path, Buffer.concat([wavHeader(SAMPLE_RATE, 2 * pcm.length), pcmBytes(pcm)]))
    return { pcm, path }
  }

  async #heard(samples: Float32Array, sampleRate: number): Promise<Heard> {
    const print = await this.#node.pool.run({ kind: 'embed', samples, sampleRate })
    return { print, cepstra: cepstralVoice(resample(samples, sampleRate / LISTENING_SAMPLE_RATE)) }
  }

  /** A stock voice, which says the same to everybody. */
  async #preset(speaker: number, voiceId: string): Promise<Clone> {
    const known = this.#presets.get(voiceId) ?? (await this.#clone(speaker, voiceId))
    this.#presets.set(voiceId, known)
    return { ...known, speaker }
  }

  /** The sentences by a voice, judged one by one, and heard as one. */
  async #clone(speaker: number, voiceId: string): Promise<Clone> {
    const spoken: Int16Array[] = []
    let [errors, words, overall] = [0, 0, 0]
    for (const [index, text] of SENTENCES.entries()) {
      const { pcm, path } = await this.#spoken(text, 'en', voiceId, index)
      spoken.push(pcm)
      const judgement = await this.#judge.judge(path, 'en')
      errors += wordErrors(wordsOf(text), wordsOf(judgement.text))
      words += wordsOf(text).length
      overall += judgement.overall / SENTENCES.length
    }
    return { ...(await this.#heard(fromPcm16(joinPcm(spoken)), SAMPLE_RATE)), speaker, errors, words, overall }
  }
}

/** Of the model's own voices, by what the space knows of them. */
function mostAlike(space: VoiceSpace, wanted: VoicePrint): string {
  const aim = heardOf(space.embeddings, wanted.embedding, wanted.pitch)
  const distance = (voice: number) => {
    const heard = space.heard.subarray(voice * HEARD_WIDTH, (voice + 1) * HEARD_WIDTH - 1)
    return Math.hypot(...heard.map((value, axis) => value - aim[axis]!))
  }
  return PRESET_VOICES[[...PRESET_VOICES.keys()].reduce((a, b) => (distance(b) < distance(a) ? b : a))]!.id
}

function firstAmong(
  clones: readonly (Heard & { readonly speaker: number })[],
  people: readonly Heard[],
  likeness: (clone: Heard, person: Heard) => number,
): string {
  const first = clones.filter((clone) => {
    const own = likeness(clone, people[clone.speaker]!)
    return people.every((person) => likeness(clone, person) <= own)
  })
  return `${Math.round((100 * first.length) / clones.length)} %`
}

function cosine(a: Heard, b: Heard): number {
  return dot(a.print.embedding, b.print.embedding)
}

function semitones(a: Heard, b: Heard): number {
  return Math.abs(Math.log(a.print.pitch / b.print.pitch)) * SEMITONES
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((total, value, at) => total + value * b[at]!, 0)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length
}
