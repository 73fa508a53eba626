import type { Heard, Listened } from './speech-client.ts'
import { figure, percentile } from './statistics.ts'

export function wasHeard(listened: Listened): listened is Heard {
  return listened.status === 'heard'
}

export function firstAudioMs(heard: readonly Heard[]): { p50: number; p99: number } {
  const times = heard.map((stream) => stream.firstAudioMs)
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) }
}

/** Streams that underran, their silence, and the longest of it at once. */
export function hearing(heard: readonly Heard[]): (string | number)[] {
  const playbacks = heard.map(({ playback }) => playback)
  return [
    playbacks.filter(({ silenceMs }) => silenceMs > 0).length,
    figure(playbacks.reduce((total, { silenceMs }) => total + silenceMs, 0)),
    figure(Math.max(0, ...playbacks.map(({ gapMsMax }) => gapMsMax))),
  ]
}
