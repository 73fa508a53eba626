/** The sound of the audio fixtures: 0.6 s of 440 Hz, then 0.6 s of 880 Hz, at half of full scale. */
export function toneSamples(sampleRate: number): Float32Array {
  return Float32Array.from({ length: 1.2 * sampleRate }, (_, i) => {
    const seconds = i / sampleRate
    return 0.5 * Math.sin(2 * Math.PI * (seconds < 0.6 ? 440 : 880) * seconds)
  })
}

/** Frequency of a tone, from how often it passes zero upwards. */
export function frequency(samples: Int16Array, sampleRate: number): number {
  let passes = 0
  for (let i = 1; i < samples.length; i++) if (samples[i]! >= 0 && samples[i - 1]! < 0) passes += 1
  return (passes * sampleRate) / samples.length
}

export const WAV_ENCODINGS = ['uint8', 'int16', 'int24', 'int32', 'float32', 'float64'] as const
export type WavEncoding = (typeof WAV_ENCODINGS)[number]

/** A WAV file with the same samples in every channel. */
export function encodeWav(
  samples: Float32Array,
  sampleRate: number,
  encoding: WavEncoding = 'int16',
  channels = 1,
): Uint8Array {
  const bytesPerSample = Number(/\d+/.exec(encoding)?.[0]) / 8
  const frame = bytesPerSample * channels
  const file = Buffer.alloc(44 + samples.length * frame)
  file.write('RIFF', 0, 'latin1')
  file.writeUInt32LE(file.length - 8, 4)
  file.write('WAVEfmt ', 8, 'latin1')
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(encoding.startsWith('float') ? 3 : 1, 20)
  file.writeUInt16LE(channels, 22)
  file.writeUInt32LE(sampleRate, 24)
  file.writeUInt32LE(sampleRate * frame, 28)
  file.writeUInt16LE(frame, 32)
  file.writeUInt16LE(bytesPerSample * 8, 34)
  file.write('data', 36, 'latin1')
  file.writeUInt32LE(samples.length * frame, 40)
  samples.forEach((sample, i) => {
    for (let channel = 0; channel < channels; channel++) {
      writeSample(file, 44 + i * frame + channel * bytesPerSample, sample, encoding)
    }
  })
  return file
}

function writeSample(file: Buffer, at: number, sample: number, encoding: WavEncoding): void {
  switch (encoding) {
    case 'uint8':
      file.writeUInt8(Math.round(128 + sample * 127), at)
      break
    case 'int16':
    case 'int24':
    case 'int32': {
      const bits = Number(encoding.slice(3))
      file.writeIntLE(Math.round(sample * (2 ** (bits - 1) - 1)), at, bits / 8)
      break
    }
    case 'float32':
      file.writeFloatLE(sample, at)
      break
    case 'float64':
      file.writeDoubleLE(sample, at)
      break
  }
}
