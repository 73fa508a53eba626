/**
 * Text of tokens. A vocabulary made by byte pair encoding spells bytes as characters: those that print stand for themselves, the
 * others for the characters from U+0100 on (GPT-2's `bytes_to_unicode`). A token may end in the middle of a character.
 */
export class TokenText {
  /** Bytes of all tokens, one after the other: fifty thousand arrays would take thirty times the memory. */
  readonly #bytes: Uint8Array
  /** Where each token's bytes begin, and where the last one's end. */
  readonly #starts: Uint32Array

  /** `spellings`: of each token, in GPT-2's characters. */
  constructor(spellings: readonly string[]) {
    this.#starts = new Uint32Array(spellings.length + 1)
    this.#bytes = new Uint8Array(spellings.reduce((total, spelling) => total + spelling.length, 0))
    let at = 0
    for (const [token, spelling] of spellings.entries()) {
      for (const character of spelling) this.#bytes[at++] = BYTES.get(character) ?? 0
      this.#starts[token + 1] = at
    }
  }

  /** Bytes that are no character become U+FFFD. */
  decode(tokens: readonly number[]): string {
    return new TextDecoder().decode(Buffer.concat(tokens.map((token) => this.#of(token))))
  }

  /** How many characters begin in a token. */
  characters(token: number): number {
    return this.#of(token).reduce((count, byte) => count + ((byte & 0xc0) === 0x80 ? 0 : 1), 0)
  }

  #of(token: number): Uint8Array {
    return this.#bytes.subarray(this.#starts[token] ?? this.#bytes.length, this.#starts[token + 1])
  }
}

const BYTES = new Map<string, number>()
for (let byte = 0, next = 0x100; byte < 0x100; byte++) {
  const prints = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad)
  BYTES.set(String.fromCharCode(prints ? byte : next++), byte)
}
