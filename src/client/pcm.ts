/** 16-bit samples, little-endian, from base64. Every browser and processor this runs on is little-endian itself. */
export function samplesOfBase64(base64: string): Int16Array<ArrayBuffer> {
  const binary = atob(base64)
  const bytes = new Uint8Array(binary.length & ~1)
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i)
  return new Int16Array(bytes.buffer)
}

/** A WAV file of 16-bit mono samples. */
export function wavFile(chunks: readonly Int16Array[], sampleRate: number): Blob {
  const dataBytes = 2 * chunks.reduce((sum, { length }) => sum + length, 0)
  const file = new Uint8Array(44 + dataBytes)
  const head = new DataView(file.buffer)
  const ascii = (at: number, text: string) => {
    for (let i = 0; i < text.length; i++) head.setUint8(at + i, text.charCodeAt(i))
  }
  ascii(0, 'RIFF')
  head.setUint32(4, 36 + dataBytes, true)
  ascii(8, 'WAVEfmt ')
  head.setUint32(16, 16, true)
  head.setUint16(20, 1, true)
  head.setUint16(22, 1, true)
  head.setUint32(24, sampleRate, true)
  head.setUint32(28, sampleRate * 2, true)
  head.setUint16(32, 2, true)
  head.setUint16(34, 16, true)
  ascii(36, 'data')
  head.setUint32(40, dataBytes, true)
  let at = 44
  for (const { buffer, byteOffset, byteLength } of chunks) {
    file.set(new Uint8Array(buffer, byteOffset, byteLength), at)
    at += byteLength
  }
  return new Blob([file], { type: 'audio/wav' })
}
