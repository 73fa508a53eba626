import type { AudioFile } from './audio-files.ts'
import { audioOperation } from './documents/node.ts'
import { notFound } from './edge-errors.ts'
import { isSameTag } from './entity-tag.ts'
import { ApiError } from './errors.ts'
import type { RequestHead, Route } from './exchange.ts'
import type { Services } from './services.ts'
import { CONTENT_TYPES } from './speech-file.ts'

/** `GET /audio/<file>?expires&signature`: a finished file, to whoever holds its signed address (D25). */
export function audioDownload({ audioFiles, clock }: Services): Route {
  return {
    method: 'GET',
    path: '/audio/:file',
    operation: audioOperation,
    async handle(exchange) {
      const { request, params } = exchange
      const file = await audioFiles.find(params.file ?? '', request.query)
      if (file === undefined) throw notFound('there is no such file, or its address has expired')

      const etag = `"${file.name}"`
      const headers = { ...cacheHeaders(file, etag, clock.now()), 'Accept-Ranges': 'bytes' }
      if (isSameTag(request.header('if-none-match'), etag)) return exchange.reply(304, headers, '')

      const range = requestedRange(request, etag, file.bytes)
      if (range === 'unsatisfiable') {
        throw new ApiError('BAD_REQUEST', `Range must lie within the ${file.bytes} bytes of the file`, {
          status: 416,
          headers: { 'Content-Range': `bytes */${file.bytes}` },
        })
      }
      const content = {
        ...headers,
        'Content-Type': CONTENT_TYPES[file.format],
        'Content-Disposition': `attachment; filename="service.${file.format}"`,
      }
      if (range === undefined) return exchange.file(200, content, file.path, 0, file.bytes)
      const { start, end } = range
      const contentRange = `bytes ${start}-${end - 1}/${file.bytes}`
      return exchange.file(206, { ...content, 'Content-Range': contentRange }, file.path, start, end)
    },
  }
}

/** A name belongs to one content for ever, so it serves as the tag of that content. */
function cacheHeaders({ expiresAt }: AudioFile, etag: string, now: number): Record<string, string> {
  const maxAgeSeconds = Math.max(0, Math.floor((expiresAt - now) / 1000))
  return { ETag: etag, 'Cache-Control': `private, max-age=${maxAgeSeconds}, immutable` }
}

/**
 * The one range asked for, its end exclusive. Several ranges at once, other units and what is no range at all are
 * ignored, as HTTP allows; so is a range of a content that has changed (`If-Range`), and one of a HEAD request.
 */
function requestedRange(
  request: RequestHead,
  etag: string,
  bytes: number,
): { readonly start: number; readonly end: number } | 'unsatisfiable' | undefined {
  if (request.method !== 'GET') return undefined
  const ifRange = request.header('if-range')
  if (ifRange !== undefined && ifRange.trim() !== etag) return undefined
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(request.header('range')?.trim() ?? '') ?? []
  if (first === undefined || last === undefined || first + last === '') return undefined
  if (first === '') {
    const suffix = Math.min(Number(last), bytes)
    return suffix === 0 ? 'unsatisfiable' : { start: bytes - suffix, end: bytes }
  }
  const start = Number(first)
  const end = last === '' ? bytes : Math.min(Number(last) + 1, bytes)
  if (last !== '' && Number(last) < start) return undefined
  return start >= bytes ? 'unsatisfiable' : { start, end }
}
