import type { TranscribedPiece } from '../../pipelines/transcribe-file.ts'
import { isWrittenWithSpaces } from '../../speech/growing-transcript.ts'
import { findSpeechMode } from '../../speech/speech-modes.ts'
import { type Cue, cutCues } from '../../speech/subtitles.ts'
import type { ChargedTranscript } from '../stt-transcript.ts'
import type { TranscriptWish } from './transcription-fields.ts'

type Transcript = Pick<ChargedTranscript, 'text' | 'language' | 'durationSeconds' | 'segments'>

/** A transcript as an answer. JSON is an object. */
export function formatTranscript(
  transcript: Transcript,
  { format, times }: Pick<TranscriptWish, 'format' | 'times'>,
): { readonly mediaType: string; readonly body: string | object } {
  switch (format) {
    case 'json':
      return { mediaType: 'application/json', body: { text: transcript.text, usage: usageOf(transcript) } }
    case 'verbose_json':
      return { mediaType: 'application/json', body: verbose(transcript, times) }
    case 'text':
      return { mediaType: 'text/plain', body: `${transcript.text}\n` }
    case 'srt':
      return { mediaType: 'text/plain', body: cuesOf(transcript).map(srtCue).join('') }
    case 'vtt':
      return { mediaType: 'text/vtt', body: `WEBVTT\n\n${cuesOf(transcript).map(vttCue).join('')}` }
  }
}

export function usageOf({ durationSeconds }: Pick<Transcript, 'durationSeconds'>) {
  return { type: 'duration', seconds: durationSeconds } as const
}

/** OpenAI's segments also tell of tokens and their probabilities, which are not kept here. */
function verbose(transcript: Transcript, times: TranscriptWish['times']): object {
  const { text, language, durationSeconds, segments } = transcript
  return {
    task: 'transcribe',
    language: (findSpeechMode(language)?.name ?? language).toLowerCase(),
    duration: durationSeconds,
    text,
    ...(times.includes('segment') && {
      segments: segments.map(({ index, start, end, text: said }) => ({ id: index, start, end, text: said })),
    }),
    ...(times.includes('word') && { words: segments.flatMap(({ words = [] }) => words) }),
    usage: usageOf(transcript),
  }
}

function cuesOf({ segments }: Transcript): Cue[] {
  return segments.filter(({ text }) => text !== '').flatMap(cuesOfSegment)
}

function cuesOfSegment({ words = [], language, ...segment }: TranscribedPiece): Cue[] {
  return words.length > 0 ? cutCues(words, isWrittenWithSpaces(language)) : [segment]
}

function srtCue({ start, end, text }: Cue, index: number): string {
  return `${index + 1}\n${clock(start, ',')} --> ${clock(end, ',')}\n${text}\n\n`
}

function vttCue({ start, end, text }: Cue): string {
  // WebVTT has markup: what looks like it is written as text.
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return `${clock(start, '.')} --> ${clock(end, '.')}\n${escaped}\n\n`
}

/** `01:02:03.004` */
function clock(seconds: number, point: ',' | '.'): string {
  const ms = Math.round(seconds * 1_000)
  const part = (value: number, digits: number) => String(Math.floor(value)).padStart(digits, '0')
  const hms = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1_000) % 60].map((value) => part(value, 2)).join(':')
  return `${hms}${point}${part(ms % 1_000, 3)}`
}
