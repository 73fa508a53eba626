import { randomBytes } from 'node:crypto'

export type EnrollmentChanges = Readonly<Record<string, string | File | undefined>>

/** A form that enrolls; a change of `undefined` leaves its field out. The recording is different each time. */
export function enrollmentForm(changes: EnrollmentChanges = {}): FormData {
  const form = new FormData()
  const fields = { file: recording(), name: 'Ada', consent: 'true', ...changes }
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, value)
  return form
}

/** A file for the scripted decoder: stretches of speech and silence, in seconds. */
export function recording(script = someSpeech(), name = 'ada.wav', type = 'audio/wav'): File {
  return new File([script], name, { type })
}

/** Two seconds and a little, never the same. */
function someSpeech(): string {
  return `2.${randomBytes(4).readUInt32LE()}`
}
