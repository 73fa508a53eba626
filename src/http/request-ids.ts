import { base32Id, type Random } from '../runtime/random.ts'

const ID_LENGTH = 20
/** Ids made from one draw: a draw costs more than the rest of an id. */
const IDS_PER_DRAW = 256

/** Makes request ids: `req_` and 100 random bits. */
export function requestIds(random: Random): () => string {
  let drawn = new Uint8Array(0)
  const pool: Random = {
    bytes(length) {
      if (drawn.length < length) drawn = new Uint8Array(random.bytes(IDS_PER_DRAW * length))
      const bytes = drawn.subarray(0, length)
      drawn = drawn.subarray(length)
      return bytes
    },
  }
  return () => `req_${base32Id(pool, ID_LENGTH)}`
}
