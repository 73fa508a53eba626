import type { Link } from './connection.ts'
import type { Key } from './inhabitants.ts'
import { drawScript, fileOf, transcriptOfScript } from './recordings.ts'
import { drawReading } from './speaking.ts'
import type { World } from './world.ts'

/** One errand of somebody who wants a recording written down, at once or line by line. */
export async function transcribe(world: World, key: Key): Promise<void> {
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
