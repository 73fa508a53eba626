import { Observable } from 'rxjs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fromPcm16 } from '../../src/audio/pcm.ts'
import type { LiveEvent } from '../../src/pipelines/live-event.ts'
import { ListeningProgress, type LiveInput, LiveTranscriber } from '../../src/pipelines/transcribe-live.ts'
import { Demand } from '../../src/runtime/demand.ts'
import { Mailbox } from '../../src/runtime/mailbox.ts'
import { RecognitionFailed } from '../../src/speech/recognition.ts'
import { SEGMENTER_SETTINGS } from '../../src/speech/segmenter.ts'
import { AUTO_MODE } from '../../src/speech/speech-modes.ts'
import { FakeClock } from '../fake-clock.ts'
import { LoudnessDetector, ScriptedRecognizer, scriptedSamples } from '../scripted-listening.ts'
import { waitFor } from '../wait-for.ts'

const FRAME = 1_600

/** A microphone whose time passes as it speaks. */
class Session {
  readonly clock = new FakeClock()
  readonly recognizer = new ScriptedRecognizer()
  readonly progress = new ListeningProgress()
  readonly events: LiveEvent[] = []
  readonly demand = new Demand(1)
  readonly #mailbox = new Mailbox<LiveInput>(this.demand, 10_000)
  end: 'complete' | unknown
  #posted = 0
  leave = () => {}

  listen(): this {
    const transcriber = new LiveTranscriber(new LoudnessDetector(), this.recognizer, this.clock)
    const inputs = new Observable<LiveInput>((reader) => this.#mailbox.read(reader))
    const { demand, progress } = this
    const options = { mode: AUTO_MODE, segmenter: SEGMENTER_SETTINGS, demand, progress }
    const subscription = transcriber.listen(inputs, options).subscribe({
      next: (event) => void this.events.push(event),
      error: (error) => {
        this.end = error
      },
      complete: () => {
        this.end = 'complete'
      },
    })
    this.leave = () => subscription.unsubscribe()
    onTestFinished(this.leave)
    return this
  }

  /** `2 -3`: two seconds of speech, three of silence, in frames of 100 ms, each handled before the next comes. */
  async say(script: string): Promise<void> {
    const samples = fromPcm16(scriptedSamples(script))
    for (let at = 0; at < samples.length; at += FRAME) {
      this.clock.advance(100)
      const frame = samples.slice(at, at + FRAME)
      this.post({ kind: 'audio', samples: frame, at: this.clock.monotonic() })
      this.#posted += frame.length
      await this.handled()
    }
  }

  post(input: LiveInput): void {
    this.#mailbox.post(input)
  }

  tell(kind: 'flush' | 'commit'): void {
    this.post({ kind, at: this.clock.monotonic() })
  }

  stop(): void {
    this.#mailbox.close()
  }

  /** Everything that came has been judged, and what follows from it at once has happened. */
  async handled(): Promise<void> {
    await waitFor(() => this.demand.credits === 1, 'the pipeline to take the next input')
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
  }

  told(kind: LiveEvent['kind']): LiveEvent[] {
    return this.events.filter((event) => event.kind === kind)
  }
}

describe('what is said into a microphone', () => {
  it('is a segment when its speaker has been silent for long enough, with times from the start', async () => {
    const session = new Session().listen()
    await session.say('-1 1 -1')
    expect(session.told('segment')).toEqual([
      {
        kind: 'segment',
        text: 'utterance 0',
        language: 'zh',
        start: 0.736,
        end: 2.208,
        at: expect.any(Number),
        wasShown: true,
      },
    ])
    const [segment] = session.told('segment')
    // Half a second of silence after two seconds, in frames of 100 ms.
    expect(segment).toMatchObject({ at: 2_600 })
  })

  it('is recognised when the pause begins, so that the words are there when it is long enough', async () => {
    const session = new Session().listen()
    await session.say('1 -0.3')
    expect(session.recognizer.segments).toHaveLength(1)
    expect(session.told('segment')).toEqual([])
    await session.say('-0.3')
    expect(session.recognizer.segments).toHaveLength(1)
    expect(session.told('segment')).toMatchObject([{ text: 'utterance 0', end: 1.216 }])
  })

  it('is wanted at the moment the silence is long enough, and recognised in that order', async () => {
    const session = new Session().listen()
    await session.say('1 -0.3')
    const paused = session.clock.monotonic()
    expect(session.recognizer.urgencies).toEqual([{ pace: 'live', wantedAt: paused + 320 }])
    await session.say('-0.6 1')
    session.tell('commit')
    await session.handled()
    expect(session.recognizer.urgencies.at(-1)).toEqual({ pace: 'live', wantedAt: session.clock.monotonic() })
  })

  it('drops what it recognised too early when the speaker goes on', async () => {
    const session = new Session().listen()
    session.recognizer.pace = 'by_hand'
    await session.say('1 -0.3')
    const [early] = session.recognizer.segments
    expect(early?.signal?.aborted).toBe(false)
    await session.say('1')
    expect(early?.signal?.aborted).toBe(true)
    await session.say('-0.3')
    session.recognizer.release(session.recognizer.held - 1)
    await session.say('-0.3')
    expect(session.told('segment')).toMatchObject([{ start: 0, end: 2.496 }])
  })

  it('keeps its order when a later segment is ready first', async () => {
    const session = new Session().listen()
    session.recognizer.pace = 'by_hand'
    await session.say('1 -0.8 1 -0.8')
    session.recognizer.release(1)
    await session.handled()
    expect(session.told('segment')).toEqual([])
    session.recognizer.release(0)
    await session.handled()
    expect(session.told('segment')).toHaveLength(2)
    expect(session.events.map((event) => event.kind !== 'committed' && event.start)).toEqual([0, 1.536])
  })

  it('is shown as soon as a pause was long enough to hear it whole', async () => {
    const session = new Session().listen()
    await session.say('1 -0.3')
    expect(session.events).toMatchObject([{ kind: 'partial', text: 'utterance 0', start: 0, end: 1.216 }])
  })

  it('is shown while it is said, every half second at most', async () => {
    const session = new Session().listen()
    session.recognizer.previewText = 'utter'
    await session.say('2')
    expect(session.recognizer.previews.map(({ samples }) => samples.length)).toEqual([1_600, 9_600, 17_600, 25_600])
    expect(session.told('partial')).toMatchObject([
      { start: 0, end: 0.1, text: 'utter', language: 'en' },
      { start: 0, end: 0.6 },
      { start: 0, end: 1.1 },
      { start: 0, end: 1.6 },
    ])
  })

  it('is shown less often when a preview takes long', async () => {
    const session = new Session().listen()
    session.recognizer.previewText = 'utter'
    session.recognizer.previewGate = () => session.clock.monotonic() >= 500
    await session.say('2')
    // The first preview took 400 ms, so the next begins 800 ms after it ended, at the earliest.
    const [first, second] = session.recognizer.previews.map(({ samples }) => samples.length / 16)
    expect([first, second]).toEqual([100, 1_300])
  })

  it('shows nothing while an earlier segment waits for its words', async () => {
    const session = new Session().listen()
    session.recognizer.previewText = 'utter'
    session.recognizer.pace = 'by_hand'
    await session.say('1 -0.8')
    const before = session.told('partial').length
    await session.say('1.2')
    expect(session.told('partial')).toHaveLength(before)
    session.recognizer.release()
    await session.say('0.3')
    expect(session.events.slice(before).map(({ kind }) => kind)).toEqual(['segment', 'partial'])
  })

  it('never shows what a worker had no time for', async () => {
    const session = new Session().listen()
    await session.say('3')
    expect(session.recognizer.previews.length).toBeGreaterThan(2)
    expect(session.told('partial')).toEqual([])
  })

  it('does not lose a session for a preview that failed', async () => {
    const session = new Session().listen()
    session.recognizer.previewFailure = new RecognitionFailed('tensor 3')
    await session.say('1 -1')
    expect(session.recognizer.previews.length).toBeGreaterThan(1)
    expect(session.told('segment')).toMatchObject([{ text: 'utterance 0' }])
  })

  it('says whether something was shown of a segment that turns out to be no speech', async () => {
    const session = new Session().listen()
    session.recognizer.texts = ['']
    session.recognizer.previewText = 'hm'
    await session.say('1 -1')
    expect(session.told('segment')).toMatchObject([{ text: '', wasShown: true }])
  })

  it('is nothing at all where nobody speaks', async () => {
    const session = new Session().listen()
    await session.say('-20')
    session.tell('commit')
    session.stop()
    await session.handled()
    expect([session.recognizer.segments, session.events]).toMatchObject([[], [{ kind: 'committed', end: 20 }]])
  })

  it('is cut where it goes on for too long, and nothing of it is lost', async () => {
    const session = new Session().listen()
    await session.say('40 -1')
    const segments = session.told('segment') as { start: number; end: number }[]
    expect(segments.length).toBeGreaterThan(1)
    expect(segments[0]?.start).toBe(0)
    expect(segments.slice(1).map(({ start }) => start)).toEqual(segments.slice(0, -1).map(({ end }) => end))
    expect(segments.at(-1)?.end).toBeGreaterThan(40)
    const lengths = session.recognizer.segments.map(({ samples }) => samples.length / 16_000)
    expect(Math.max(...lengths)).toBeLessThan(29)
  })
})

describe('a commit', () => {
  it('ends what is being said, and comes after its words', async () => {
    const session = new Session().listen()
    session.recognizer.pace = 'by_hand'
    await session.say('1')
    session.tell('commit')
    await session.handled()
    expect(session.events).toEqual([])
    session.recognizer.release()
    await session.handled()
    expect(session.events).toMatchObject([
      { kind: 'segment', text: 'utterance 0', start: 0, end: 1 },
      { kind: 'committed', at: 1_000, end: 1 },
    ])
  })

  it('uses what was recognised in a pause just before', async () => {
    const session = new Session().listen()
    await session.say('1 -0.3')
    session.tell('commit')
    await session.handled()
    expect(session.recognizer.segments).toHaveLength(1)
    expect(session.events.map(({ kind }) => kind)).toEqual(['partial', 'segment', 'committed'])
  })

  it('stays in its place among the audio', async () => {
    const session = new Session().listen()
    const samples = fromPcm16(scriptedSamples('1 -1'))
    // All at once: each waits for the one before.
    session.post({ kind: 'audio', samples: samples.slice(0, 16_000), at: 0 })
    session.tell('commit')
    session.post({ kind: 'audio', samples: samples.slice(16_000), at: 0 })
    session.tell('commit')
    session.stop()
    await waitFor(() => session.end === 'complete', 'the end')
    expect(session.events).toMatchObject([
      { kind: 'segment', end: 1 },
      { kind: 'committed', end: 1 },
      { kind: 'committed', end: 2 },
    ])
  })
})

describe('a session', () => {
  it('completes when everything has been told', async () => {
    const session = new Session().listen()
    session.recognizer.pace = 'by_hand'
    await session.say('1')
    session.tell('flush')
    session.stop()
    await session.handled()
    expect(session.end).toBeUndefined()
    session.recognizer.release()
    await session.handled()
    expect([session.end, session.told('segment').length]).toEqual(['complete', 1])
  })

  it('keeps a worker free while it lasts', async () => {
    const session = new Session().listen()
    expect(session.recognizer.listeners).toBe(1)
    session.leave()
    expect(session.recognizer.listeners).toBe(0)
  })

  it('that is left stops whatever runs for it', async () => {
    const session = new Session().listen()
    session.recognizer.pace = 'by_hand'
    await session.say('1 -0.8 1 -0.3')
    session.leave()
    expect(session.recognizer.segments.map(({ signal }) => signal?.aborted)).toEqual([true, true])
    await session.handled()
    expect([session.events, session.end]).toEqual([[], undefined])
  })

  it('fails with the recogniser', async () => {
    const session = new Session().listen()
    session.recognizer.failsAt = 0
    await session.say('1 -0.3')
    expect(session.end).toBeUndefined()
    await session.say('-0.3')
    expect(session.end).toBeInstanceOf(RecognitionFailed)
  })

  it('does not fail with a guess that nobody needs', async () => {
    const session = new Session().listen()
    session.recognizer.failsAt = 0
    await session.say('1 -0.3')
    session.recognizer.failsAt = Number.POSITIVE_INFINITY
    await session.say('1 -0.8')
    expect(session.told('segment')).toHaveLength(1)
  })

  it('knows how far it has been worked on: speech that goes on waits for nobody but its speaker', async () => {
    const session = new Session().listen()
    session.recognizer.pace = 'by_hand'
    await session.say('10')
    expect(session.progress.frontier).toBe(160_000)
    await session.say('-0.8 5 -0.8')
    expect(session.progress.frontier).toBe(163_328)
    session.recognizer.release(0)
    await session.handled()
    expect(session.progress.frontier).toBeGreaterThan(240_000)
  })
})
