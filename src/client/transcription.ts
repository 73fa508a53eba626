import { linkedAbort } from './abort.ts'
import { bodyText } from './body-text.ts'
import { JsonLineParser } from './json-lines.ts'
import { errorOfEvent, isRecord, SyrinxError } from './syrinx-error.ts'
import type { Transcript, TranscriptSegment } from './transcript.ts'
import type { Transport } from './transport.ts'

/** Audio in any container the service reads. Bytes must not change until the call has ended. */
export type AudioFile = Blob | ArrayBuffer | Uint8Array

export interface TranscriptionOptions {
  /** `auto`, or the code or name of a language or of a pair of them. */
  readonly language?: string
  /** Whether each segment has its words. */
  readonly word_timestamps?: boolean
  readonly signal?: AbortSignal
}

/** What becomes known of a recording, in this order; `final` is the last. */
export type TranscriptionProgress =
  | {
      readonly type: 'started'
      readonly duration_seconds: number
      readonly chunks_total: number
      readonly provider: string
      readonly model: string
    }
  | ({ readonly type: 'chunk'; readonly chunks_total: number; readonly combined_text: string } & TranscriptSegment)
  | ({ readonly type: 'final' } & Transcript)

/** Has a file written down and waits for the whole transcript. */
export function transcribe(transport: Transport, file: AudioFile, options: TranscriptionOptions): Promise<Transcript> {
  return transport.data<Transcript>(upload(file, options, {}, options.signal))
}

/** Has a file written down piece by piece. Ending the iteration early stops the work. */
export async function* transcribeByLines(
  transport: Transport,
  file: AudioFile,
  options: TranscriptionOptions,
): AsyncGenerator<TranscriptionProgress, void> {
  const { controller, unlink } = linkedAbort(options.signal)
  try {
    const response = await transport.response(upload(file, options, { stream: 'true' }, controller.signal))
    const requestId = response.headers.get('x-request-id') ?? undefined
    const parser = new JsonLineParser()
    const lines = async function* () {
      for await (const text of bodyText(response, controller.signal)) yield parser.push(text)
      yield parser.end()
    }
    for await (const values of lines()) {
      for (const line of values) {
        if (!isRecord(line))
          throw new SyrinxError('UNEXPECTED_ANSWER', 'a line is not one of this service', { requestId })
        if (line.type === 'error') throw errorOfEvent(line, { requestId })
        yield line as TranscriptionProgress
        if (line.type === 'final') return
      }
    }
    throw new SyrinxError('STREAM_INTERRUPTED', 'the answer ended before its last line', { requestId })
  } finally {
    unlink()
    controller.abort()
  }
}

function upload(
  file: AudioFile,
  { language, word_timestamps }: TranscriptionOptions,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
) {
  const form = new FormData()
  if (language !== undefined) form.append('language', language)
  appendFile(form, 'audio', file)
  const all = new URLSearchParams({ ...query, ...(word_timestamps && { word_timestamps: 'true' }) })
  const path = `/api/v1/stt/transcriptions${all.size > 0 ? `?${all}` : ''}`
  return { method: 'POST', path, form, repetition: 'when_told', signal } as const
}

/** What the audio is shows from its bytes; the name only tells the service that the part is a file. */
export function appendFile(form: FormData, field: string, file: AudioFile, name?: string): void {
  // A view of shared memory, which the type would let pass, is refused by `Blob` itself.
  const blob = file instanceof Blob ? file : new Blob([file as ArrayBuffer | Uint8Array<ArrayBuffer>])
  const own = 'name' in blob && typeof blob.name === 'string' ? blob.name : 'audio'
  form.append(field, blob, name ?? own)
}
