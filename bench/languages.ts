import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SpelledPronunciation } from '../src/speech/task-protocol.ts'
import type { Judge, Judgement } from './judge.ts'
import type { NodeUnderTest } from './node-under-test.ts'
import type { ShippedKokoro } from './shipped-kokoro.ts'
import { fetchSpeech, trimmedWav } from './spoken-wav.ts'
import { figure } from './statistics.ts'
import type { BenchTable } from './table.ts'
import { wordErrors, wordsOf } from './word-errors.ts'

export interface Family {
  readonly voice: string
  readonly language: string
  /** Undefined: read with a dictionary, which the shipped graph's front end here lacks. */
  readonly pronunciation?: SpelledPronunciation
  readonly sentences: readonly string[]
}

/** One voice of each language the model was made for, beside English. Everyday sentences, without figures. */
export const FAMILIES: readonly Family[] = [
  {
    voice: 'ef_dora',
    language: 'es',
    pronunciation: 'es',
    sentences: [
      'El tren sale dentro de cinco minutos.',
      'Mi padre prepara el café todas las mañanas antes de ir al trabajo.',
      'Los vecinos plantaron un árbol grande delante de la escuela y lo riegan cada domingo.',
      'Cuando llegó el invierno, la abuela cerró las ventanas y encendió la chimenea.',
    ],
  },
  {
    voice: 'ff_siwis',
    language: 'fr',
    pronunciation: 'fr',
    sentences: [
      'Le train part dans cinq minutes.',
      'Mon père prépare le café tous les matins avant de partir au travail.',
      "Les voisins ont planté un grand arbre devant l'école et ils l'arrosent chaque dimanche.",
      "Quand l'hiver est arrivé, la grand-mère a fermé les fenêtres et allumé la cheminée.",
    ],
  },
  {
    voice: 'if_sara',
    language: 'it',
    pronunciation: 'it',
    sentences: [
      'Il treno parte tra cinque minuti.',
      'Mio padre prepara il caffè ogni mattina prima di andare al lavoro.',
      'I vicini hanno piantato un grande albero davanti alla scuola e lo annaffiano ogni domenica.',
      "Quando è arrivato l'inverno, la nonna ha chiuso le finestre e ha acceso il camino.",
    ],
  },
  {
    voice: 'pf_dora',
    language: 'pt',
    pronunciation: 'pt-br',
    sentences: [
      'O trem sai em cinco minutos.',
      'Meu pai prepara o café todas as manhãs antes de ir para o trabalho.',
      'Os vizinhos plantaram uma árvore grande na frente da escola e regam a árvore todo domingo.',
      'Quando o inverno chegou, a avó fechou as janelas e acendeu a lareira.',
    ],
  },
  {
    voice: 'hf_alpha',
    language: 'hi',
    pronunciation: 'hi',
    sentences: [
      'रेलगाड़ी पाँच मिनट में निकलेगी।',
      'मेरे पिता हर सुबह काम पर जाने से पहले चाय बनाते हैं।',
      'पड़ोसियों ने स्कूल के सामने एक बड़ा पेड़ लगाया।',
      'जब सर्दी आई तो दादी ने खिड़कियाँ बंद कर दीं।',
    ],
  },
  {
    voice: 'jf_alpha',
    language: 'ja',
    sentences: [
      '電車は五分後に出ます。',
      '父は毎朝、仕事に行く前にコーヒーを入れます。',
      '近所の人たちは学校の前に大きな木を植えました。',
      '冬が来ると、祖母は窓を閉めてストーブをつけました。',
    ],
  },
  {
    voice: 'zf_xiaobei',
    language: 'zh',
    sentences: [
      '火车五分钟以后出发。',
      '我父亲每天早上上班以前都煮咖啡。',
      '邻居们在学校前面种了一棵大树。',
      '冬天来了，奶奶关上窗户，点起了炉子。',
    ],
  },
]

export interface Clip extends Judgement {
  readonly sentence: string
}

/** How well each language is understood, and how clean it sounds beside the shipped graph decoding whole. */
export async function languagesTable(
  judge: Judge,
  node: NodeUnderTest,
  shipped: ShippedKokoro,
  folder: string,
): Promise<BenchTable> {
  const rows: (string | number)[][] = []
  for (const { voice, language, pronunciation, sentences } of FAMILIES) {
    const judged = async (name: string, wav: Uint8Array, sentence: string): Promise<Clip> => {
      const path = join(folder, name)
      await writeFile(path, wav)
      return { ...(await judge.judge(path, language)), sentence }
    }
    const key = await node.voiceKey(`preset_${voice}`)
    const fast: Clip[] = []
    const whole: Clip[] = []
    for (const [i, sentence] of sentences.entries()) {
      fast.push(await judged(`${voice}-${i}.wav`, await fetchSpeech(node, key, sentence), sentence))
      if (pronunciation === undefined) continue
      const wav = trimmedWav(await shipped.speak(sentence, pronunciation, voice))
      whole.push(await judged(`${voice}-whole-${i}.wav`, wav, sentence))
    }
    const measured = (clips: readonly Clip[]) => (clips.length === 0 ? ['–', '–'] : [errorsOf(clips), overallOf(clips)])
    const [errors = '', overall = ''] = measured(fast)
    const [wholeErrors = '', wholeOverall = ''] = measured(whole)
    rows.push([language, voice, errors, wholeErrors, overall, wholeOverall])
  }
  return {
    title: 'Other languages',
    columns: ['language', 'voice', 'character errors', 'shipped', 'DNSMOS', 'shipped'],
    rows,
    notes: [
      'Four sentences each, from a node as files. Character errors: letters that were understood otherwise, of all; the errors of the recogniser are in it.',
      'Whisper base writes Hindi in Urdu letters half of the time, and homophones of Japanese and Chinese as it likes: read those three against each other version, not against the others.',
      'Shipped: the same sentences from the graph as shipped, decoding whole; it has no readings for Japanese and Chinese.',
    ],
  }
}

/** Letters understood otherwise, of all. */
export function errorsOf(clips: readonly Clip[]): string {
  const letters = (text: string) => Array.from(wordsOf(text).join(''))
  const errors = clips.reduce((sum, { sentence, text }) => sum + wordErrors(letters(sentence), letters(text)), 0)
  return `${errors} of ${clips.reduce((sum, { sentence }) => sum + letters(sentence).length, 0)}`
}

function overallOf(clips: readonly Clip[]): string {
  return figure(clips.reduce((sum, { overall }) => sum + overall, 0) / clips.length)
}
