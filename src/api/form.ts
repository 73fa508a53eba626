/** What a `multipart/form-data` body may hold. Parts with other names are read and forgotten, however often they come (D10). */
export interface FormRules {
  /** Names of the fields that are kept. */
  readonly fields: readonly string[]
  /** Names of the parts that are kept as files, if they are files. */
  readonly files: readonly string[]
  readonly fileBytesMax: number
  /** Names of those fields that may be sent several times. */
  readonly lists?: readonly string[]
}

/** A body of parts. Its files lie on disk until `dispose`. */
export interface Form {
  /** Values of the known fields, by name; with them what was sent as text under a file's name. */
  readonly fields: Readonly<Record<string, string>>
  /** Values of the fields that may be sent several times, by name; no entry where there was none. */
  readonly lists: Readonly<Record<string, readonly string[]>>
  /** Files by name of their part, in the order of arrival. */
  readonly files: Readonly<Record<string, UploadedFile>>
  /** Removes the files; again: nothing. Never rejects. */
  dispose(): Promise<void>
}

export interface UploadedFile {
  /** As the client calls it, without folders; '' when it doesn't. */
  readonly name: string
  /** As the client says; '' when it doesn't. */
  readonly mimeType: string
  readonly path: string
  readonly bytes: number
}

/** Not multipart, or broken, or more parts than anybody needs. The message is for the client. */
export class MalformedForm extends Error {}

/** A part that is no file is longer than any may be. */
export class FieldTooLong extends MalformedForm {
  readonly field: string
  readonly rule: string

  constructor(field: string, bytesMax: number) {
    const rule = `must be at most ${bytesMax} bytes`
    super(`${JSON.stringify(field.slice(0, 50))} ${rule}`)
    this.field = field
    this.rule = rule
  }
}

/** A file is longer than the rules allow. */
export class FileTooLarge extends Error {}
