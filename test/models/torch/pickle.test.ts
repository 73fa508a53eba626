import { describe, expect, it } from 'vitest'
import { PickleReader, type PickleWorld } from '../../../models/torch/pickle.ts'

/** Made by Python: `pickle.dumps(…, protocol=2).hex()`. */
const PLAIN = [
  '80027d7100285805000000736d616c6c71014b07580500000073686f727471024d60ea58080000006e656761746976657103',
  '4a90eefeff58050000006c6172676571048a06000000000001580400000068616c667105473fe00000000000005804000000',
  '74657874710658080000006772c3b6c39f657271075805000000747275746871085d71092888894e6558060000007475706c',
  '6573710a5d710b28294b0185710c4b014b0286710d4b014b024b0387710e284b014b024b034b0474710f6558050000006167',
  '61696e71105d7111286807680765752e',
].join('')
const ORDERED = '800263636f6c6c656374696f6e730a4f726465726564446963740a71002952710158010000006171024b01732e'

const NOTHING: PickleWorld = { classes: {}, persistent: () => null }

function read(hex: string, world: PickleWorld = NOTHING) {
  return new PickleReader(new Uint8Array(Buffer.from(hex, 'hex')), world).read()
}

describe('a pickle', () => {
  it('of plain data is read as Python wrote it', () => {
    expect(read(PLAIN)).toEqual(
      new Map<string, unknown>([
        ['small', 7],
        ['short', 60_000],
        ['negative', -70_000],
        ['large', 2 ** 40],
        ['half', 0.5],
        ['text', 'größer'],
        ['truth', [true, false, null]],
        ['tuples', [[], [1], [1, 2], [1, 2, 3], [1, 2, 3, 4]]],
        ['again', ['größer', 'größer']],
      ]),
    )
  })

  it('may be followed by another one', () => {
    const reader = new PickleReader(new Uint8Array(Buffer.from('80024b012e80024b022e', 'hex')), NOTHING)
    expect([reader.read(), reader.read()]).toEqual([1, 2])
    expect(reader.offset).toBe(10)
  })

  it('makes what the world knows of, and names nothing else', () => {
    const classes = { 'collections.OrderedDict': () => new Map() }
    expect(read(ORDERED, { ...NOTHING, classes })).toEqual(new Map([['a', 1]]))
    expect(() => read(ORDERED)).toThrow('names collections.OrderedDict')
  })

  it('that would run a command is refused before it runs anything', () => {
    // What `pickle.dumps` makes of an object whose `__reduce__` is `(os.system, ('true',))`.
    const command = '8002 63 706f7369780a73797374656d0a 58 04000000 74727565 85 52 2e'.replaceAll(' ', '')
    expect(() => read(command)).toThrow('names posix.system')
  })

  it.each([
    ['is cut off', '80024b'],
    ['ends in the midst of a text', '8002580500000061622e'],
    ['takes what was never pushed', '80022e'],
    ['has an opcode of a newer protocol', '80028c01612e'],
    ['remembers what it never put aside', '800268072e'],
  ])('that %s is refused', (_, hex) => {
    expect(() => read(hex)).toThrow()
  })
})
