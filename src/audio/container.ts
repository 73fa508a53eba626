/** Containers that can be told by their first bytes. What is inside is found out by decoding it. */
export type Container = 'wav' | 'mp3' | 'ogg' | 'webm' | 'mp4' | 'flac' | 'aac' | 'aiff' | 'caf' | 'wma' | 'amr'

/** Bytes to look at; from the start of a file, or from the end of its tag. */
export const CONTAINER_HEAD_BYTES = 16 * 1024

/**
 * The container that begins with `head`, whatever its name or declared type says. MP3 and raw AAC have no signature: they are
 * taken for what they are where several frames follow each other, each where the one before says it ends.
 */
export function detectContainer(head: Uint8Array): Container | undefined {
  const text = (start: number, end: number) => String.fromCharCode(...head.subarray(start, end))
  if (text(0, 4) === 'RIFF' || text(0, 4) === 'RIFX' || text(0, 4) === 'RF64') {
    return text(8, 12) === 'WAVE' ? 'wav' : undefined
  }
  if (text(0, 4) === 'OggS') return 'ogg'
  if (text(0, 4) === 'fLaC') return 'flac'
  if (text(0, 4) === 'caff') return 'caf'
  if (text(0, 4) === 'FORM') return /^AIF[FC]$/.test(text(8, 12)) ? 'aiff' : undefined
  if (text(0, 5) === '#!AMR') return 'amr'
  if (MP4_BOXES.has(text(4, 8))) return 'mp4'
  if (startsWith(head, EBML)) return 'webm'
  if (startsWith(head, ASF)) return 'wma'
  if (framesFollow(head, adtsFrameBytes)) return 'aac'
  if (framesFollow(head, mpegFrameBytes)) return 'mp3'
  return undefined
}

/**
 * Length of an ID3v2 tag at the start of `head`, 0 without one. Only its first ten bytes are looked at; the tag itself may be
 * longer than `head`.
 */
export function tagBytes(head: Uint8Array): number {
  if (head.length < 10 || !startsWith(head, [0x49, 0x44, 0x33])) return 0
  const [a, b, c, d] = [head[6]!, head[7]!, head[8]!, head[9]!]
  const hasFooter = (head[5]! & 0x10) !== 0
  return 10 + ((a & 127) << 21) + ((b & 127) << 14) + ((c & 127) << 7) + (d & 127) + (hasFooter ? 10 : 0)
}

/** Types of the boxes an MP4, M4A or QuickTime file may begin with. */
const MP4_BOXES: ReadonlySet<string> = new Set(['ftyp', 'styp', 'moov', 'mdat', 'wide', 'free', 'skip'])
const EBML = [0x1a, 0x45, 0xdf, 0xa3]
const ASF = [0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11]

/** Where a file should begin, two frames in a row are no chance. */
const FRAMES_AT_START = 2
/** Some streams begin in the middle of a frame. Among 16 kB of anything, chance finds four frames in a row once in millions. */
const FRAMES_ANYWHERE = 4

type FrameBytes = (head: Uint8Array, at: number) => number | undefined

function framesFollow(head: Uint8Array, frameBytes: FrameBytes): boolean {
  // Some files are padded in front.
  const start = head.findIndex((byte) => byte !== 0)
  if (start < 0) return false
  if (countFrames(head, start, frameBytes, FRAMES_AT_START) === FRAMES_AT_START) return true
  for (let at = head.indexOf(0xff, start + 1); at >= 0; at = head.indexOf(0xff, at + 1)) {
    if (countFrames(head, at, frameBytes, FRAMES_ANYWHERE) === FRAMES_ANYWHERE) return true
  }
  return false
}

/** Frames from `at` on, each where the one before ends, up to `most`. */
function countFrames(head: Uint8Array, at: number, frameBytes: FrameBytes, most: number): number {
  for (let frames = 0, next = at; frames < most; frames++) {
    const bytes = frameBytes(head, next)
    if (bytes === undefined) return frames
    next += bytes
  }
  return most
}

/** ISO 14496-3, 1.A.2: sync word of 12 ones, layer 0, length of the frame in 13 bits. */
function adtsFrameBytes(head: Uint8Array, at: number): number | undefined {
  const [a, b, , d, e, f] = head.subarray(at, at + 6)
  if (a !== 0xff || b === undefined || (b & 0xf6) !== 0xf0 || d === undefined || e === undefined || f === undefined) {
    return undefined
  }
  const bytes = ((d & 3) << 11) | (e << 3) | (f >> 5)
  return bytes >= 7 ? bytes : undefined
}

/** ISO 11172-3, 2.4.1.3 and ISO 13818-3: layers I to III of MPEG 1, 2 and 2.5. */
function mpegFrameBytes(head: Uint8Array, at: number): number | undefined {
  const [a, b, c] = head.subarray(at, at + 3)
  if (a !== 0xff || b === undefined || c === undefined || (b & 0xe0) !== 0xe0) return undefined
  const version = (b >> 3) & 3
  const layer = 4 - ((b >> 1) & 3)
  const isMpeg1 = version === 3
  const kbit = KBIT[`${isMpeg1 ? 1 : 2}.${layer}`]?.[c >> 4]
  const hertz = [44_100, 48_000, 32_000][(c >> 2) & 3]
  if (version === 1 || !kbit || hertz === undefined) return undefined
  const sampleRate = isMpeg1 ? hertz : version === 2 ? hertz / 2 : hertz / 4
  const padding = (c >> 1) & 1
  if (layer === 1) return (Math.floor((12_000 * kbit) / sampleRate) + padding) * 4
  const samples = layer === 3 && !isMpeg1 ? 576 : 1_152
  return Math.floor((samples * 125 * kbit) / sampleRate) + padding
}

/** Bit rates by version and layer; 0: "free format", which nobody writes. */
const KBIT: Readonly<Record<string, readonly number[]>> = {
  '1.1': [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  '1.2': [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  '1.3': [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  '2.1': [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  '2.2': [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  '2.3': [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
}

function startsWith(head: Uint8Array, bytes: readonly number[]): boolean {
  return bytes.every((byte, index) => head[index] === byte)
}
