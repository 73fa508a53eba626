import { readChinese } from '../src/speech/reading/chinese.ts'
import { loadIpadic } from '../src/speech/reading/ipadic.ts'
import { readJapanese } from '../src/speech/reading/japanese.ts'
import { loadPinyin } from '../src/speech/reading/pinyin.ts'
import type { ReadingTask } from '../src/speech/reading/reading-protocol.ts'
import type { SpokenPart } from '../src/speech/task-protocol.ts'

let ipadic: ReturnType<typeof loadIpadic> | undefined
let pinyin: ReturnType<typeof loadPinyin> | undefined

/** Thread entry: reads Japanese and Chinese. Each dictionary is loaded for the first text in its language. */
export default async function read({ text, language }: ReadingTask): Promise<SpokenPart[]> {
  if (language === 'zh') {
    pinyin ??= loadPinyin()
    return readChinese(text, await pinyin)
  }
  ipadic ??= loadIpadic()
  return readJapanese(text, await ipadic)
}
