/** A form with audio for the scripted decoder: `2 -3 1.5` is speech, silence, speech, in seconds. */
export function audioForm(script = '1.5', fields: Readonly<Record<string, string>> = {}, name = 'audio'): FormData {
  const form = new FormData()
  form.append(name, new File([script], 'speech.wav', { type: 'audio/wav' }))
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  return form
}
