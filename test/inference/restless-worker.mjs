/**
 * A worker whose thread dies as soon as it has answered, and so without work: the pool's own part of a worker counts an answer right
 * after it has sent it.
 */
const { add } = Atomics

Atomics.add = (...parts) => {
  add(...parts)
  throw new Error('dies without work')
}

export default () => new Uint8Array(7)
