import type { Link } from './connection.ts'
import type { Key } from './inhabitants.ts'
import { drawScript, fileOf, samplesOf, transcriptOfScript } from './recordings.ts'
import { drawReading } from './speaking.ts'
import type { World } from './world.ts'

/** One errand of somebody who wants something written down: a recording, or what is said into a microphone. */
export async function transcribe(world: World, key: Key): Promise<void> {
  await world.chance.pick([upload, speakUp])(world, key)
}

/** A recording, written down at once or line by line. */
async function upload(world: World, key: Key): Promise<void> {
  const { chance, network } = world
  const script = drawScript(chance, world.nextNumber())
  const id = network.nextId
  world.books.expect({ id, keyId: key.id, meter: 'stt', price: undefined, group: undefined })
  const transcript = transcriptOfScript(script)
  world.conversations.expect(id, { keyId: key.id, meter: 'stt', price: undefined, transcript })
  const links: Link[] = []
  world.tasks.expectRecording(script.recording, { links, debits: undefined })
  const url = `/api/v1/stt/transcriptions${chance.hits(0.5) ? '?stream=true' : ''}`
  const body = chance.hits(0.05) ? new Uint8Array(100) : fileOf(script)
  const call = network.send({ method: 'POST', url, key: key.plaintext, body, reading: drawReading(world) })
  if (call === undefined) return
  links.push(call)
  if (chance.hits(0.2)) {
    await world.sleep(chance.between(0, 4_000))
    call.leave()
  }
  await call.over
}

const RATE = 16_000
const FRAME_MS = 250

/** A microphone, held by somebody who may speak faster than anybody can, commit where it makes no sense, or go. */
async function speakUp(world: World, key: Key): Promise<void> {
  const { chance, network } = world
  const script = drawScript(chance, world.nextNumber())
  const id = network.nextId
  const isManual = chance.hits(0.4)
  world.books.expect({ id, keyId: key.id, meter: 'stt', price: undefined, group: undefined })
  const transcript = transcriptOfScript(script)
  world.conversations.expect(id, { keyId: key.id, meter: 'stt', price: undefined, transcript, isManual })
  const links: Link[] = []
  world.tasks.expectRecording(script.recording, { links, debits: undefined })
  const token = chance.hits(0.05) ? 'nobody' : key.plaintext
  const socket = network.connect(`/api/public/v1/stt/ws?token=${token}&language=en`, drawReading(world))
  if (socket === undefined) return
  links.push(socket)
  const start = { type: 'start', mode: isManual ? 'manual' : 'auto', sample_rate: RATE, format: 'pcm_s16le' }
  if (!chance.hits(0.03)) socket.say(chance.hits(0.05) ? { ...start, sample_rate: 7 } : start)
  const frameMs = chance.hits(0.1) ? 10 : FRAME_MS
  const samples = samplesOf(script)
  const frame = (RATE * FRAME_MS) / 1_000
  const leavesAt = chance.hits(0.15) ? chance.between(0, samples.length) : Number.POSITIVE_INFINITY
  for (let at = 0; at < samples.length && socket.fate === 'open'; at += frame) {
    socket.say(new Uint8Array(samples.slice(at, at + frame).buffer))
    if (chance.hits(0.02)) socket.say({ type: isManual ? 'commit' : chance.pick(['stop', 'commit', 'nonsense']) })
    await world.sleep(frameMs)
    if (at > leavesAt) socket.leave()
  }
  // Some only fall silent.
  if (!chance.hits(0.05)) socket.say({ type: 'stop' })
  await socket.over
}
