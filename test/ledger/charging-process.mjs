/**
 * A process of its own that charges one key, for tests of several processes and of sudden ends. It runs the built program.
 *
 *   node charging-process.mjs <data folder> <key id> <name> <in flight> <charges>
 *
 * Prints `ready`, waits for a line, then charges 1 to 7 characters at a time and prints `<status> <id> <characters>` as each
 * answer arrives, `failed …` for a fault, and `end`.
 */
import { once } from 'node:events'
import { LmdbLedger } from '../../dist/src/ledger/lmdb-ledger.js'
import { systemClock } from '../../dist/src/runtime/clock.js'
import { systemRandom } from '../../dist/src/runtime/random.js'

const [folder, keyId, name, inFlight, charges] = process.argv.slice(2)
const ledger = LmdbLedger.open(folder, systemClock, systemRandom)
process.stdout.write('ready\n')
await once(process.stdin, 'data')
process.stdin.destroy()

let next = 0
async function charge() {
  while (next < Number(charges)) {
    const id = `${name}-${next}`
    const characters = 1 + (next % 7)
    next += 1
    try {
      const { status } = await ledger.charge({ id, keyId, meter: 'tts', characters })
      process.stdout.write(`${status} ${id} ${characters}\n`)
    } catch (error) {
      process.stdout.write(`failed ${error.constructor.name}\n`)
    }
  }
}
await Promise.all(Array.from({ length: Number(inFlight) }, charge))
process.stdout.write('end\n')
await ledger.close()
