/** Bytes of the header `wavHeader` writes. */
export const WAV_HEADER_BYTES = 44

/** RIFF/WAVE header of mono 16-bit PCM with `dataBytes` of samples behind it. */
export function wavHeader(sampleRate: number, dataBytes: number): Uint8Array {
  const header = Buffer.alloc(WAV_HEADER_BYTES)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(WAV_HEADER_BYTES - 8 + dataBytes, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(sampleRate * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(dataBytes, 40)
  return header
}

/** As `wavHeader`, of a file whose length is not known yet: the largest there is, as streams of WAV have it. */
export function wavStreamHeader(sampleRate: number): Uint8Array {
  const header = Buffer.from(wavHeader(sampleRate, 0))
  header.writeUInt32LE(0xffff_ffff, 4)
  header.writeUInt32LE(0xffff_ffff, 40)
  return header
}
