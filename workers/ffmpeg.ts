import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { createRequire } from 'node:module'
import type createCore from '@ffmpeg/core'
import type { Core, Stream } from '@ffmpeg/core'

/** Memory one file may make FFmpeg take; its decoders need a tenth. */
const HEAP_BYTES_MAX = 512 * 1024 * 1024
/** Largest single block: a cover picture or the index of a long file fits. */
const BLOCK_BYTES_MAX = 128 * 1024 * 1024
/** Complaints that are kept: a broken file can make one for every frame. */
const LOG_LINES_MAX = 50

export interface Transcoding {
  /** File to read. */
  readonly input: string
  /** FFmpeg's name of its container: nothing else is tried. */
  readonly demuxer: string
  readonly sampleRate: number
  /** Takes the next little-endian samples, mono PCM16. The bytes are FFmpeg's memory: valid until it returns. */
  readonly write: (bytes: Uint8Array) => void
  /** Called before every read and write; what it throws ends the work and comes out of `transcode`. */
  readonly check: () => void
}

export interface TranscodingEnd {
  /** Of the `ffmpeg` command. */
  readonly exitCode: number
  readonly log: readonly string[]
}

/** FFmpeg took more memory than a file may cost. */
export class HeapExceeded extends Error {}

/**
 * Decodes the first audio track of a file. FFmpeg runs as WebAssembly: a file that breaks it breaks a sandbox that is thrown away.
 * Every file gets a fresh instance, whose only files are its input and output. Blocks the thread until it is done.
 */
export async function transcode({ input, demuxer, sampleRate, write, check }: Transcoding): Promise<TranscodingEnd> {
  const core = await instantiate()
  const log: string[] = []
  core.setLogger(({ message }) => {
    if (log.length < LOG_LINES_MAX) log.push(message)
  })
  const guard = () => {
    if (core.HEAPU8.length > HEAP_BYTES_MAX) throw new HeapExceeded()
    check()
  }
  const file = openSync(input, 'r')
  try {
    mountInput(core, file, guard)
    mountOutput(core, write, guard)
    return { exitCode: core.exec(...commandLine(demuxer, sampleRate)), log }
  } finally {
    closeSync(file)
  }
}

const INPUT = '/input'
const OUTPUT = '/output'

function commandLine(demuxer: string, sampleRate: number): string[] {
  return [
    ...['-hide_banner', '-nostats', '-loglevel', 'error', '-max_alloc', String(BLOCK_BYTES_MAX)],
    ...['-protocol_whitelist', 'file', '-threads', '1', '-f', demuxer, '-i', INPUT],
    ...['-map', '0:a:0', '-ac', '1', '-ar', String(sampleRate), '-f', 's16le', OUTPUT],
  ]
}

function mountInput({ FS }: Core, file: number, guard: () => void): void {
  const size = fstatSync(file).size
  const node = FS.create(INPUT, 0o444)
  node.node_ops = { ...node.node_ops, getattr: () => ({ ...ATTRIBUTES, ino: node.id, mode: node.mode, size }) }
  node.stream_ops = {
    open() {},
    close() {},
    llseek(stream: Stream, offset: number, whence: number) {
      const base = whence === SEEK_CUR ? stream.position : whence === SEEK_END ? size : 0
      if (base + offset < 0) throw new FS.ErrnoError(EINVAL)
      return base + offset
    },
    read(_: Stream, heap: Uint8Array, offset: number, length: number, position: number) {
      guard()
      return readSync(file, heap, offset, length, position)
    },
  }
}

function mountOutput({ FS }: Core, write: Transcoding['write'], guard: () => void): void {
  const node = FS.create(OUTPUT, 0o666)
  node.stream_ops = {
    open() {},
    close() {},
    write(_: Stream, heap: Uint8Array, offset: number, length: number) {
      guard()
      // A view of bytes, whichever view of its memory the module passes.
      write(new Uint8Array(heap.buffer, heap.byteOffset + offset, length))
      return length
    },
  }
}

const SEEK_CUR = 1
const SEEK_END = 2
/** As Emscripten numbers it. */
const EINVAL = 28
const EPOCH = new Date(0)
const ATTRIBUTES = {
  dev: 1,
  nlink: 1,
  uid: 0,
  gid: 0,
  rdev: 0,
  atime: EPOCH,
  mtime: EPOCH,
  ctime: EPOCH,
  blksize: 4_096,
  blocks: 0,
}

let compiled: Promise<WebAssembly.Module> | undefined

/** A fresh FFmpeg, without files. Compiling takes 0.2 s, once a thread; an instance 15 ms. */
export async function instantiate(): Promise<Core> {
  compiled ??= WebAssembly.compile(readFileSync(resolver.resolve('@ffmpeg/core/wasm')))
  const module = await compiled
  const create: typeof createCore = resolver('@ffmpeg/core')
  return create({
    instantiateWasm(imports, receive) {
      void WebAssembly.instantiate(module, imports).then((instance) => receive(instance, module))
      return {}
    },
  })
}

// `require`, because the package marks its ES module as CommonJS, which Node reads only since 20.19.
const resolver = createRequire(import.meta.url)
// It is built for browsers' workers and asks where it is, though it then loads nothing from there.
Object.assign(globalThis, { self: { location: { href: '' } } })
