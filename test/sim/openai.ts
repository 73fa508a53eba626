import type { Link } from './connection.ts'
import type { Key } from './inhabitants.ts'
import { drawScript, fileOf, transcriptOfScript } from './recordings.ts'
import { drawReading, drawUtterance, leaveSoon } from './speaking.ts'
import type { World } from './world.ts'

/** One errand of somebody whose program was written for OpenAI. */
export async function useAsOpenAi(world: World, key: Key): Promise<void> {
  if (key.kind === 'stt') await transcribe(world, key)
  else await speak(world, key)
}

/** In every format, as bytes or as events. */
async function speak(world: World, key: Key): Promise<void> {
  const { chance, network } = world
  const { text, word, voiceId, options } = drawUtterance(world, key, 0)
  const format = chance.pick(['pcm', 'pcm', 'wav', 'mp3', 'flac', 'opus'])
  const speed = options.speed as number
  const id = network.nextId
  const topic = { keyId: key.id, meter: 'tts', price: text.length } as const
  const isHeard = format === 'pcm' || format === 'wav'
  // Events hold the header, too.
  const streamFormat = chance.hits(0.3) && format !== 'wav' ? 'sse' : 'audio'
  world.books.expect({ id, ...topic, group: undefined })
  world.conversations.expect(id, {
    ...topic,
    ...(isHeard && { sound: `openai ${speed} ${text.replaceAll(word.toUpperCase(), '@')}` }),
  })
  const links: Link[] = []
  world.tasks.expectSpeech(word, { links, debits: [id] })
  const voice = voiceId ?? (chance.hits(0.5) ? 'alloy' : undefined)
  const body = { model: 'tts-1', input: text, voice, speed, response_format: format, stream_format: streamFormat }
  const reading = drawReading(world)
  const call = network.send({ method: 'POST', url: '/v1/audio/speech', key: key.plaintext, body, reading })
  if (call === undefined) return
  links.push(call)
  if (chance.hits(0.2)) world.populate(leaveSoon(world, call))
  await call.over
}

async function transcribe(world: World, key: Key): Promise<void> {
  const { chance, network } = world
  const script = drawScript(chance, world.nextNumber())
  const format = chance.pick(['json', 'json', 'text', 'verbose_json', 'srt', 'vtt'])
  const isStreamed = (format === 'json' || format === 'text') && chance.hits(0.4)
  const id = network.nextId
  const topic = { keyId: key.id, meter: 'stt', price: undefined } as const
  world.books.expect({ id, ...topic, group: undefined })
  const hasTimes = format === 'srt' || format === 'vtt'
  world.conversations.expect(id, { ...topic, ...(!hasTimes && { transcript: transcriptOfScript(script) }) })
  const links: Link[] = []
  world.tasks.expectRecording(script.recording, { links, debits: undefined })
  const fields = { model: 'whisper-1', language: 'en', response_format: format, stream: String(isStreamed) }
  const url = '/v1/audio/transcriptions'
  const body = fileOf(script)
  const call = network.send({ method: 'POST', url, key: key.plaintext, fields, body, reading: drawReading(world) })
  if (call === undefined) return
  links.push(call)
  if (chance.hits(0.2)) world.populate(leaveSoon(world, call))
  await call.over
}
