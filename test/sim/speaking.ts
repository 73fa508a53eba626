import type { Connection, Link, Reading, SocketConnection } from './connection.ts'
import type { Key } from './inhabitants.ts'
import type { World } from './world.ts'

/** Texts of many lengths; `@` is a word by which a worker's tasks show whose they are, in every sentence. */
const TEXTS = [
  '@.',
  'Hello @.',
  '@ opened the old wooden door slowly.',
  '@ opened the old wooden door slowly, and a warm golden light spilled out across the stones of the quiet garden path.',
  '@ is here. @ was there before, on the other side of the river, under a thin layer of mist. @!',
  'Nobody had walked this way for many years, said @, so the grass had grown tall. @ knew.',
  chapters(5),
  chapters(16),
]
/** From here on they are heard for longer than it takes to fall behind. */
const LONG_TEXTS = 4
const VOICE_IDS = ['preset_af_heart', 'preset_bf_emma']
const RETRIES_MAX = 3

interface Utterance {
  readonly key: Key
  readonly text: string
  /** Lower case. */
  readonly word: string
  readonly voiceId: string | undefined
  readonly options: Readonly<Record<string, unknown>>
  readonly sound: string
}

function chapters(count: number): string {
  const chapter = (n: number) => `@ goes on to chapter ${n}, in which nothing happens that had not happened before.`
  return Array.from({ length: count }, (_, n) => chapter(n)).join(' ')
}

/** One errand of somebody who wants a text spoken, in any of the four ways, with or without manners. */
export async function speak(world: World, key: Key): Promise<void> {
  const { isRush } = world.weather
  const utterance = drawUtterance(world, key, isRush ? LONG_TEXTS : 0)
  const ways = [toFile, toFile, toStream, toStream, toSocket, toSocket, misspeak, askAround]
  await (isRush ? toStream : world.chance.pick(ways))(world, utterance)
}

/** `from`: texts before it are too short. */
export function drawUtterance(world: World, key: Key, from: number): Utterance {
  const { chance } = world
  const word = `q${String(world.nextNumber()).padStart(4, '0')}`
  const template = chance.whole(from, TEXTS.length - 1)
  const options = { speed: chance.pick([1, 1, 0.7, 1.5]), postprocess_output: chance.hits(0.7), language: 'en' }
  const own = world.voices.of(key.accountId).map(({ id }) => id)
  const voiceId = key.kind === 'admin' ? chance.pick([...VOICE_IDS, ...own]) : undefined
  const text = TEXTS[template]!.replaceAll('@', word.toUpperCase())
  return { key, text, word, voiceId, options, sound: `text ${template} ${JSON.stringify(options)}` }
}

/** `bytes` and `generate`, the latter maybe again and again under one `Idempotency-Key`. */
async function toFile(world: World, utterance: Utterance): Promise<void> {
  const { chance, network } = world
  const { key, text, word, options } = utterance
  const way = chance.pick(['bytes', 'generate'])
  const duration = chance.hits(0.2) ? chance.between(0.5, 8) : undefined
  const price =
    duration === undefined ? text.length : Math.max(text.length, Math.ceil(Number((duration * 15).toFixed(6))))
  const repeatable = way === 'generate' && chance.hits(0.7)
  const group = repeatable ? word : undefined
  const body = {
    ...voiced(utterance),
    text,
    ...options,
    format: chance.pick(['mp3', 'wav']),
    ...(duration && { duration }),
  }
  const links: Link[] = []
  const debits: string[] = []
  const sound = duration === undefined ? { sound: utterance.sound } : {}
  world.tasks.expectSpeech(word, { links, debits })
  const attempt = async (): Promise<boolean> => {
    const id = network.nextId
    debits.push(id)
    world.books.expect({ id, keyId: key.id, meter: 'tts', price, group })
    world.conversations.expect(id, { keyId: key.id, meter: 'tts', price, ...sound })
    const headers = repeatable ? { 'idempotency-key': word } : {}
    const call = network.send({ method: 'POST', url: `/api/v1/tts/${way}`, key: key.plaintext, headers, body })
    if (call === undefined) return false
    links.push(call)
    if (chance.hits(0.15)) world.populate(leaveSoon(world, call))
    await call.over
    return isSettled(call)
  }
  // A repeat may come while the first is still at work.
  if (repeatable && chance.hits(0.2)) world.populate(attempt().then(() => {}))
  for (let tries = 0; tries < (repeatable ? RETRIES_MAX : 1); tries++) {
    if (await attempt()) break
    await world.sleep(chance.between(200, 4_000))
  }
  // And long after the answer.
  if (repeatable && chance.hits(0.2)) await attempt()
}

function isSettled({ fate, status = 0 }: Connection): boolean {
  return fate === 'ended' && status !== 409 && status < 500
}

async function toStream(world: World, utterance: Utterance): Promise<void> {
  const { chance, network } = world
  const { key, text, word, options, sound } = utterance
  const id = network.nextId
  const topic = { keyId: key.id, meter: 'tts', price: text.length } as const
  world.books.expect({ id, ...topic, group: undefined })
  world.conversations.expect(id, { ...topic, sound })
  const links: Link[] = []
  world.tasks.expectSpeech(word, { links, debits: [id] })
  const body = { ...voiced(utterance), text, ...options, timestamps: chance.hits(0.3) }
  const reading = drawReading(world)
  const call = network.send({ method: 'POST', url: '/api/v1/tts/sse', key: key.plaintext, body, reading })
  if (call === undefined) return
  links.push(call)
  if (chance.hits(0.25)) world.populate(leaveSoon(world, call))
  await call.over
}

/** A token, and one socket for it, or two. */
async function toSocket(world: World, utterance: Utterance): Promise<void> {
  const { chance, network } = world
  const { key, text, word, sound } = utterance
  const id = network.nextId
  const length = text.length + (chance.hits(0.3) ? chance.whole(1, 30) : 0)
  const topic = { keyId: key.id, meter: 'tts', price: length } as const
  world.books.expect({ id, ...topic, group: undefined })
  world.conversations.expect(id, topic)
  const links: Link[] = []
  world.tasks.expectSpeech(word, { links, debits: [id] })
  const body = { ...voiced(utterance), text_length: length }
  const call = network.send({ method: 'POST', url: '/api/v1/tts/stream-token', key: key.plaintext, body })
  await call?.over
  if (call?.fate !== 'ended' || call.status !== 200) return
  const token = String(call.json.data.stream_token)

  const open = async () => {
    const socketId = network.nextId
    world.conversations.expect(socketId, { keyId: key.id, meter: 'tts', price: undefined, sound })
    const socket = network.connect(`/ws/tts/stream?token=${token}`, drawReading(world))
    if (socket === undefined) return
    links.push(socket)
    await converse(world, socket, utterance)
  }
  await world.sleep(chance.hits(0.1) ? chance.between(50_000, 70_000) : chance.between(0, 2_000))
  if (chance.hits(0.15)) world.populate(open())
  await open()
  // Who was sent away for want of room may come again, and who was not may try.
  if (chance.hits(0.3)) {
    await world.sleep(chance.between(0, 5_000))
    await open()
  }
}

async function converse(world: World, socket: SocketConnection, { text, options }: Utterance): Promise<void> {
  const { chance } = world
  const start = { type: 'start', text, ...options }
  if (chance.hits(0.7)) await world.sleep(chance.between(0, 500))
  const manners = chance.whole(0, 15)
  if (manners === 0) socket.say({ ...start, text: `${text} and much more than the token is for` })
  else if (manners === 1) socket.say('not JSON')
  // Some never say anything.
  else if (manners !== 2) socket.say(start)
  if (manners === 3) await cancelSoon(world, socket, { type: 'cancel' })
  if (manners === 4) await cancelSoon(world, socket, start)
  if (manners === 5) await cancelSoon(world, socket, new Uint8Array(8))
  if (manners === 6 || manners === 7) await leaveSoon(world, socket)
  await socket.over
}

async function cancelSoon(world: World, socket: SocketConnection, message: object | Uint8Array): Promise<void> {
  await world.sleep(world.chance.between(0, 3_000))
  world.note(`${socket.id} says something else`)
  socket.say(message)
}

export async function leaveSoon(world: World, link: Link, msMax = 5_000): Promise<void> {
  await world.sleep(world.chance.between(0, world.chance.pick([5, 500, msMax])))
  if (link.fate !== 'open') return
  world.note(`${link.id} leaves`)
  link.leave()
}

/** Requests that must be refused, whatever else happens. */
async function misspeak(world: World, utterance: Utterance): Promise<void> {
  const { network } = world
  const { key, text } = utterance
  const [plaintext, body] = world.chance.pick([
    [`${key.plaintext}x`, { text }],
    [key.plaintext, { ...voiced(utterance), text: '' }],
    [key.plaintext, { ...voiced(utterance), text, speed: '1' }],
    [key.plaintext, { voice_id: 'preset_nobody', text }],
    [key.plaintext, { ...voiced(utterance), text, language: 'Swahili' }],
    [key.plaintext, { ...voiced(utterance), text: 'a'.repeat(5_001) }],
  ])
  const id = network.nextId
  world.conversations.expect(id, { keyId: key.id, meter: 'tts', price: 0 })
  const url = `/api/v1/tts/${world.chance.pick(['bytes', 'generate', 'sse'])}`
  const call = network.send({ method: 'POST', url, key: plaintext, body })
  await call?.over
  if (call?.fate === 'ended' && call.status === 200) world.fail(`${id} should have been refused`)
}

async function askAround(world: World, { key }: Utterance): Promise<void> {
  const url = world.chance.pick(['/api/v1/usage', '/api/v1/keys', '/healthz', '/readyz'])
  await world.network.send({ method: 'GET', url, key: key.plaintext })?.over
}

function voiced({ voiceId }: Utterance): object {
  return voiceId === undefined ? {} : { voice_id: voiceId }
}

export function drawReading({ chance, weather }: World): Reading {
  if (!weather.slowReaders || chance.hits(0.4)) return { pace: 'eager' }
  const pace = chance.pick(['steady', 'steady', 'drops', 'stalls'] as const)
  if (pace === 'steady') return { pace, bytesPerSecond: chance.pick([20_000, 64_000, 300_000]) }
  if (pace === 'stalls') return { pace, ms: chance.pick([500, 20_000, 200_000]) }
  return { pace }
}
