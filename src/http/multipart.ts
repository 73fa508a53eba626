import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import { BodyTooLarge } from '../api/exchange.ts'
import { FieldTooLong, FileTooLarge, type Form, type FormRules, MalformedForm, type UploadedFile } from '../api/form.ts'
import type { Spool, SpoolFile } from '../runtime/spool.ts'
import type { RequestBody } from './request-body.ts'

/** What a form may take beside its files: other fields, and the heads of its parts. */
const OVERHEAD_BYTES_MAX = 64 * 1024
const PARTS_MAX = 32
const FIELD_BYTES_MAX = 16 * 1024
const HEADERS_PER_PART_MAX = 32

/**
 * Reads a multipart body. Parsing, writing and receiving wait for each other: what is in memory of an upload are some pieces
 * of it, however large it is.
 *
 *   client ◀─pause─ RequestBody.stream ─▶ parser ─▶ file of the spool
 */
export async function readForm(
  body: Pick<RequestBody, 'stream'>,
  contentType: string | undefined,
  rules: FormRules,
  spool: Spool,
): Promise<Form> {
  const reading = new FormReading(createParser(contentType, rules), rules, spool)
  try {
    await body.stream(rules.fileBytesMax + OVERHEAD_BYTES_MAX, (piece) => reading.write(piece))
    return await reading.finish()
  } catch (error) {
    await reading.abandon()
    throw error instanceof BodyTooLarge ? tooLarge(rules) : error
  }
}

/** One form on its way in. The first thing that goes wrong, wherever it does, ends it. */
class FormReading {
  readonly #parser: BusboyInstance
  readonly #rules: FormRules
  readonly #spool: Spool
  readonly #fields: Record<string, string> = Object.create(null)
  readonly #lists: Record<string, string[]> = Object.create(null)
  readonly #files: Record<string, UploadedFile> = Object.create(null)
  readonly #spooled: SpoolFile[] = []
  readonly #streams: BusboyFileStream[] = []
  readonly #storing: Promise<void>[] = []
  readonly #failed: Promise<never>
  #fail: (reason: unknown) => void = () => {}

  constructor(parser: BusboyInstance, rules: FormRules, spool: Spool) {
    this.#parser = parser
    this.#rules = rules
    this.#spool = spool
    this.#failed = new Promise((_, reject) => {
      this.#fail = reject
    })
    // Whoever waits hears of it; there may be nobody just then.
    this.#failed.catch(() => {})
    parser.on('field', (name, value, nameCut, valueCut) => this.#addField(name, value, nameCut || valueCut))
    parser.on('file', (name, stream, fileName, _, mimeType) => this.#addFile(name, stream, fileName, mimeType))
    for (const event of ['partsLimit', 'filesLimit', 'fieldsLimit']) {
      parser.on(event, () => this.#fail(new MalformedForm(`body must have at most ${PARTS_MAX} parts`)))
    }
    parser.on('error', (error) => this.#fail(malformed(error)))
  }

  /** Resolves when the parser, and the disk behind it, have room for more. */
  write(piece: Uint8Array): Promise<void> {
    return this.#unlessFailed((done) => void this.#parser.write(piece, () => done()))
  }

  async finish(): Promise<Form> {
    await this.#unlessFailed((done) => void this.#parser.once('finish', done).end())
    await Promise.race([Promise.all(this.#storing), this.#failed])
    return { fields: this.#fields, lists: this.#lists, files: this.#files, dispose: () => this.#dispose() }
  }

  /** The form will not be finished: nothing of it stays. */
  async abandon(): Promise<void> {
    this.#parser.destroy()
    for (const stream of this.#streams) stream.destroy()
    await Promise.allSettled(this.#storing)
    await this.#dispose()
  }

  #unlessFailed(start: (done: () => void) => void): Promise<void> {
    return Promise.race([new Promise<void>((resolve) => start(resolve)), this.#failed])
  }

  /** The parser has no name for a part whose head names none, whatever its declaration says. */
  #addField(name: string | undefined, value: string, wasCut: boolean): void {
    if (name === undefined) this.#fail(new MalformedForm('each part of the body must have a name'))
    else if (!this.#isKnown(name)) return
    else if (wasCut) this.#fail(new FieldTooLong(name, FIELD_BYTES_MAX))
    else if (this.#rules.lists?.includes(name)) this.#lists[name] = [...(this.#lists[name] ?? []), value]
    else if (name in this.#fields) this.#fail(new MalformedForm(`${shown(name)} must be sent once`))
    else this.#fields[name] = value
  }

  /** A file's name counts as well: a text under it has a message of its own. */
  #isKnown(name: string): boolean {
    return this.#rules.fields.includes(name) || this.#rules.files.includes(name)
  }

  #addFile(name: string, stream: BusboyFileStream, fileName: string, mimeType: string): void {
    // Without a listener an error of the stream would end the process; the parser reports the same.
    stream.on('error', (error) => this.#fail(malformed(error)))
    this.#streams.push(stream)
    const isWanted = this.#rules.files.includes(name)
    if (isWanted && name in this.#files) this.#fail(new MalformedForm(`${name} must be sent once`))
    if (!isWanted || name in this.#files) {
      stream.resume()
      return
    }
    stream.once('limit', () => this.#fail(tooLarge(this.#rules)))
    this.#files[name] = { name: fileName ?? '', mimeType: mimeType ?? '', path: '', bytes: 0 }
    this.#storing.push(this.#store(name, stream).catch((error: unknown) => this.#fail(error)))
  }

  async #store(name: string, stream: BusboyFileStream): Promise<void> {
    const file = await this.#spool.create()
    this.#spooled.push(file)
    for await (const piece of stream) await file.append(piece)
    this.#files[name] = { ...this.#files[name]!, path: file.path, bytes: file.bytes }
  }

  async #dispose(): Promise<void> {
    await Promise.allSettled(this.#spooled.map((file) => file.remove()))
  }
}

function createParser(contentType: string | undefined, rules: FormRules): BusboyInstance {
  if (contentType === undefined || !/^multipart\/form-data\b/i.test(contentType.trim())) {
    throw new MalformedForm('body must be multipart/form-data')
  }
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: {
        fieldNameSize: 200,
        fieldSize: FIELD_BYTES_MAX,
        fields: PARTS_MAX,
        files: PARTS_MAX,
        parts: PARTS_MAX,
        fileSize: rules.fileBytesMax,
        headerPairs: HEADERS_PER_PART_MAX,
        headerSize: FIELD_BYTES_MAX,
      },
    })
  } catch (error) {
    throw malformed(error)
  }
}

function malformed(cause: unknown): MalformedForm {
  return new MalformedForm('body must be whole and well-formed multipart/form-data', { cause })
}

function tooLarge({ fileBytesMax }: FormRules): FileTooLarge {
  return new FileTooLarge(`the file must be at most ${fileBytesMax} bytes`)
}

/** A name as a message may repeat it. */
function shown(name: string): string {
  return JSON.stringify(name.slice(0, 50))
}
