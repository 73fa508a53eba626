/**
 * A process of its own that enrolls, refines or deletes a voice and kills itself in the middle, for tests of sudden ends. It runs the built program.
 *
 *   node enrolling-process.mjs <data folder> <reference> <account id> <key id> enroll <voice id> <step>
 *   node enrolling-process.mjs <data folder> <reference> <account id> <key id> refine <voice id> <step>
 *   node enrolling-process.mjs <data folder> <reference> <account id> <key id> delete <voice id> <step>
 *
 * A step is one operation of the disk or the ledger, and is begun half-way: of what it writes, half is written. Prints `end` where there
 * are fewer steps.
 */
import { truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { VoiceFiles } from '../../dist/src/api/voice-files.js'
import { LmdbLedger } from '../../dist/src/ledger/lmdb-ledger.js'
import { systemClock } from '../../dist/src/runtime/clock.js'
import { systemDisk } from '../../dist/src/runtime/disk.js'
import { systemRandom } from '../../dist/src/runtime/random.js'

const [folder, reference, accountId, keyId, work, voiceId, lastStep] = process.argv.slice(2)
const ledger = LmdbLedger.open(folder, systemClock, systemRandom)
let step = 0
let isAtWork = false

/** Never comes back from the last step. */
async function dieAt(half) {
  if (isAtWork) step += 1
  if (!isAtWork || step !== Number(lastStep)) return
  await half()
  process.kill(process.pid, 'SIGKILL')
  await new Promise(() => {})
}

const disk = Object.fromEntries(
  Object.entries(systemDisk).map(([name, operation]) => [
    name,
    async (...args) => {
      await dieAt(async () => {
        if (name === 'write') await operation(args[0], args[1].subarray(0, args[1].length / 2))
        if (name === 'copy') {
          await operation(...args)
          await truncate(args[1], 10)
        }
      })
      return operation(...args)
    },
  ]),
)

const voiceFiles = await VoiceFiles.open(join(folder, 'voices'), disk)
isAtWork = true
if (work === 'enroll') {
  const features = new Uint8Array(1_000).fill(7)
  await voiceFiles.add(voiceId, { reference, features }, async () => {
    await dieAt(async () => {})
    const voice = { id: voiceId, accountId, name: 'Ada', gender: 'female', description: '', fileName: 'ada.wav' }
    const outcome = await ledger.enrollVoice({ ...voice, fileSize: 1, sha256: voiceId }, keyId)
    await dieAt(async () => {})
    return outcome
  })
} else if (work === 'refine') {
  await voiceFiles.refine(voiceId, new Uint8Array(1_000).fill(8))
} else {
  await dieAt(async () => {})
  await ledger.deleteVoice(voiceId, accountId)
  await dieAt(async () => {})
  await voiceFiles.remove(voiceId)
}
process.stdout.write('end\n')
await ledger.close()
