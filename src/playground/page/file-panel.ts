import type { TranscriptionProgress, TranscriptSegment } from '../../client/client.ts'
import { fillLanguages } from './choices.ts'
import { create, downloadLink, element, withdrawLinks } from './dom.ts'
import { facts } from './facts.ts'
import { problemOf } from './problem.ts'
import type { Session } from './session.ts'
import { clockTime, subtitleTime } from './times.ts'

/** A recording, written down piece by piece. */
export class FilePanel {
  readonly #session: Session
  readonly #language = element('file-language', HTMLSelectElement)
  readonly #input = element('file-input', HTMLInputElement)
  readonly #stop = element('file-stop', HTMLButtonElement)
  readonly #status = element('file-status', HTMLSpanElement)
  readonly #problem = element('file-problem', HTMLParagraphElement)
  readonly #progress = element('file-progress', HTMLProgressElement)
  readonly #transcript = element('file-transcript', HTMLDivElement)
  readonly #results = element('file-results', HTMLParagraphElement)
  #running: AbortController | undefined

  constructor(session: Session) {
    this.#session = session
    fillLanguages(this.#language, facts.modes)
    this.#input.addEventListener('change', () => this.#take(this.#input.files))
    this.#stop.addEventListener('click', () => this.#running?.abort())
    this.#armDrop(element('file-drop', HTMLLabelElement))
  }

  /** A file that misses the place is taken too, where the panel is open; elsewhere the browser would leave the page for it. */
  #armDrop(place: HTMLElement): void {
    addEventListener('dragover', (event) => {
      event.preventDefault()
      place.classList.add('over')
    })
    addEventListener('dragleave', ({ relatedTarget }) => {
      if (relatedTarget === null) place.classList.remove('over')
    })
    addEventListener('drop', (event) => {
      event.preventDefault()
      place.classList.remove('over')
      if (!element('file-panel', HTMLElement).hidden) this.#take(event.dataTransfer?.files ?? null)
    })
  }

  #take(files: FileList | null): void {
    const file = files?.[0]
    if (file !== undefined) void this.#transcribe(file)
    // So that the same file may be chosen again.
    this.#input.value = ''
  }

  async #transcribe(file: File): Promise<void> {
    this.#running?.abort()
    const running = new AbortController()
    this.#running = running
    this.#problem.textContent = ''
    this.#transcript.replaceChildren()
    withdrawLinks(this.#results)
    this.#progress.hidden = false
    this.#progress.removeAttribute('value')
    this.#stop.disabled = false
    this.#status.textContent = `Sending ${file.name} …`
    const segments: TranscriptSegment[] = []
    try {
      const client = this.#session.client('stt')
      if (client === undefined) throw new Error('to have a recording written down, add a speech-to-text key.')
      const options = { language: this.#language.value, signal: running.signal }
      for await (const progress of client.transcribeByLines(file, options)) {
        if (progress.type === 'chunk') segments.push(progress)
        this.#show(progress)
      }
    } catch (error) {
      if (this.#running !== running) return
      this.#problem.textContent = problemOf(error) ?? ''
      this.#status.textContent = ''
    }
    if (this.#running !== running) return
    this.#progress.hidden = true
    this.#stop.disabled = true
    if (segments.length > 0) this.#offer(segments)
    await this.#session.refresh()
  }

  #show(progress: TranscriptionProgress): void {
    if (progress.type === 'started') {
      this.#status.textContent = `${clockTime(progress.duration_seconds)} of audio`
      this.#progress.value = 0
    } else if (progress.type === 'chunk') {
      this.#progress.value = (progress.index + 1) / progress.chunks_total
      if (progress.text === '') return
      const paragraph = create('p')
      paragraph.append(create('time', clockTime(progress.start)), progress.text)
      this.#transcript.append(paragraph)
    } else {
      const took = (progress.latency_ms / 1_000).toFixed(1)
      const heard = progress.text === '' ? 'No speech in ' : ''
      this.#status.textContent = `${heard}${clockTime(progress.duration_seconds)} of audio, written down in ${took} s`
    }
  }

  #offer(segments: readonly TranscriptSegment[]): void {
    const spoken = segments.filter(({ text }) => text !== '')
    const text = spoken.map((segment) => `${segment.text}\n`).join('')
    const cues = spoken.map(({ start, end, text }) => `\n${subtitleTime(start)} --> ${subtitleTime(end)}\n${text}\n`)
    this.#results.replaceChildren(
      downloadLink('Download text', 'transcript.txt', new Blob([text], { type: 'text/plain' })),
      downloadLink('Download subtitles', 'transcript.vtt', new Blob(['WEBVTT\n', ...cues], { type: 'text/vtt' })),
    )
  }
}
