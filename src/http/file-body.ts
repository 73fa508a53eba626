import type { FileHandle } from 'node:fs/promises'
import type { SizedWriter } from './sized-writer.ts'

const CHUNK_BYTES = 64 * 1024

/**
 * Sends bytes [start, end) of an open file through one fixed buffer, at the pace of the reader. The file stays the
 * caller's to close. Throws when the file ends early: the length has been promised by then, so the response can't be saved.
 */
export async function sendFileBody(
  file: FileHandle,
  start: number,
  end: number,
  writer: SizedWriter,
  writeHead: () => void,
): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.min(end - start, 2 * CHUNK_BYTES))
  let head: (() => void) | undefined = writeHead
  for (let position = start; position < end && !writer.done; ) {
    const remaining = end - position
    // The last chunk is never small: uWebSockets.js would take a small one into its cork buffer without asking the kernel.
    const wanted = remaining <= buffer.length ? remaining : CHUNK_BYTES
    const { bytesRead } = await file.read(buffer, 0, wanted, position)
    if (bytesRead === 0) throw new Error(`file ends at byte ${position}, expected ${end}`)
    await writer.send(buffer.subarray(0, bytesRead), head)
    head = undefined
    position += bytesRead
  }
}
