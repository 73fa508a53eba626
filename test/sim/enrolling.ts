import { createHash } from 'node:crypto'
import { EQUALISER_TAPS } from '../../src/audio/equaliser.ts'
import { encodeVoiceSound } from '../../src/inference/voice-sound.ts'
import type { LmdbLedger } from '../../src/ledger/lmdb-ledger.ts'
import { newVoiceId } from '../../src/ledger/voices.ts'
import { VOICES_PER_ACCOUNT_MAX } from '../../src/limits.ts'
import { STYLE_CLASSES, STYLE_WIDTH } from '../../src/speech/style-classes.ts'
import type { Customer } from './checkers/tasks.ts'
import type { Key } from './inhabitants.ts'
import { ENROLLED } from './node.ts'
import { drawScript, fileOf } from './recordings.ts'
import { leaveSoon } from './speaking.ts'
import type { World } from './world.ts'

/** Recordings that people have of voices, and whoever waits for one to be learnt. */
export class Clips {
  readonly #clips: { readonly bytes: Uint8Array; readonly customer: Customer }[] = []

  /** One that was brought before, or a new one. */
  draw(world: World) {
    const { chance } = world
    if (this.#clips.length > 0 && chance.hits(0.4)) return chance.pick(this.#clips)
    const script = drawScript(chance, world.nextNumber())
    const clip = { bytes: fileOf(script), customer: { links: [], debits: undefined } }
    world.tasks.expectRecording(script.recording, clip.customer)
    this.#clips.push(clip)
    return clip
  }
}

/** A clip, brought once or by several at the same time, and a key to speak with from then on, unless somebody else has it. */
export async function enroll(world: World, key: Key, keys: Key[]): Promise<void> {
  const { chance, network } = world
  const { bytes, customer } = world.clips.draw(world)
  const sha256 = sha256Of(bytes)
  const bring = async () => {
    const id = network.nextId
    world.voices.expect({ id, accountId: key.accountId, sha256 })
    const fields = { name: 'A voice', consent: chance.hits(0.03) ? 'maybe' : 'true' }
    const body = chance.hits(0.03) ? new Uint8Array(100) : bytes
    const call = network.send({ method: 'POST', url: '/api/v1/voices', key: key.plaintext, fields, body })
    if (call === undefined) return
    customer.links.push(call)
    if (chance.hits(0.2)) world.populate(leaveSoon(world, call, 20_000))
    await call.over
    const given = call.fate === 'ended' && call.status === 201 ? call.json.data.api_key : undefined
    const known = given && world.node?.ledger.findKey(given.key)
    if (known) keys.push({ id: known.id, accountId: key.accountId, plaintext: given.key, kind: 'voice' })
  }
  for (let others = chance.hits(0.3) ? chance.whole(1, 7) : 0; others > 0; others--) world.populate(bring())
  await bring()
}

/** A voice of the account, of another, or of nobody; by one, or by two at once. */
export async function deleteVoice(world: World, key: Key): Promise<void> {
  const { chance, network, voices } = world
  const own = voices.of(key.accountId)
  const isOwn = own.length > 0 && chance.hits(0.9)
  const voiceId = isOwn ? chance.pick(own).id : chance.pick(['preset_af_heart', `voice_${'a'.repeat(20)}`])
  const remove = async () => {
    const call = network.send({ method: 'DELETE', url: `/api/v1/voices/${voiceId}`, key: key.plaintext })
    if (call && chance.hits(0.1)) world.populate(leaveSoon(world, call, 50))
    await call?.over
    if (!isOwn && call?.status === 200) world.fail(`${call.id} has deleted ${voiceId}`)
  }
  if (chance.hits(0.2)) world.populate(remove())
  await remove()
}

/** Voices from before, almost as many as an account may have. */
export async function bringVoices(world: World, ledger: LmdbLedger, key: Key): Promise<void> {
  for (let count = VOICES_PER_ACCOUNT_MAX - world.chance.whole(0, 2); count > 0; count--) {
    const bytes = fileOf(drawScript(world.chance, world.nextNumber()))
    const id = newVoiceId(world.chance)
    world.files.put(`${ENROLLED}/${id}/reference`, bytes)
    world.files.put(`${ENROLLED}/${id}/features`, Buffer.concat([Buffer.from(sha256Of(FEATURES), 'hex'), FEATURES]))
    const about = {
      name: 'A voice',
      gender: 'other',
      description: '',
      fileName: 'a.wav',
      fileSize: bytes.length,
    } as const
    const voice = { id, accountId: key.accountId, sha256: sha256Of(bytes), ...about }
    await ledger.enrollVoice(voice, key.id)
  }
}

const FEATURES = encodeVoiceSound({
  pitch: 1,
  hertz: 187.5,
  rows: new Float32Array(STYLE_CLASSES.length * STYLE_WIDTH),
  equaliser: new Float32Array(EQUALISER_TAPS),
  isSketch: false,
})

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
