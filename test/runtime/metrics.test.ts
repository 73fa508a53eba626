import { describe, expect, it } from 'vitest'
import { Metrics } from '../../src/runtime/metrics.ts'

/** The value of each series whose line begins with `name`, by its labels. */
async function series(metrics: Metrics, name: string): Promise<Record<string, number>> {
  const lines = (await metrics.text()).split('\n').filter((line) => /^[{ ]/.test(line.slice(name.length)))
  const own = lines.filter((line) => line.startsWith(name)).map((line) => line.slice(name.length))
  return Object.fromEntries(
    own.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))] as const),
  )
}

describe('the metrics of a node', () => {
  it('are text in the format of Prometheus, with the figures of the process', async () => {
    const metrics = new Metrics()
    expect(metrics.contentType).toMatch(/^text\/plain; version=0\.0\.4/)
    const text = await metrics.text()
    expect(text).toContain('# TYPE syrinx_first_audio_seconds histogram')
    expect(text).toMatch(/^process_resident_memory_bytes \d+/m)
    expect(text).toMatch(/^nodejs_eventloop_lag_seconds /m)
  })

  it('belong to one node: another has its own', async () => {
    const [one, other] = [new Metrics(), new Metrics()]
    one.tasks.workerLost()
    expect(await series(one, 'syrinx_workers_lost_total')).toEqual({ '': 1 })
    expect(await series(other, 'syrinx_workers_lost_total')).toEqual({ '': 0 })
  })

  it('take milliseconds and show seconds', async () => {
    const metrics = new Metrics()
    metrics.service.firstAudio('sse', 180)
    metrics.service.speechEnded('sse', 'completed', 2_500)
    metrics.tasks.taskRan('window', 40)
    metrics.tasks.deadlineMissed('window', 30)
    metrics.tasks.cancelled('window', 70)
    metrics.ledger.committed(0.5)
    expect(await series(metrics, 'syrinx_first_audio_seconds_sum')).toEqual({ '{way="sse"}': 0.18 })
    expect(await series(metrics, 'syrinx_first_audio_seconds_bucket')).toMatchObject({
      '{le="0.15",way="sse"}': 0,
      '{le="0.2",way="sse"}': 1,
    })
    expect(await series(metrics, 'syrinx_speech_seconds_total')).toEqual({ '{way="sse"}': 2.5 })
    expect(await series(metrics, 'syrinx_task_seconds_sum')).toEqual({ '{kind="window"}': 0.04 })
    expect(await series(metrics, 'syrinx_deadline_miss_seconds_sum')).toEqual({ '{kind="window"}': 0.03 })
    expect(await series(metrics, 'syrinx_cancel_seconds_sum')).toEqual({ '{kind="window"}': 0.07 })
    expect(await series(metrics, 'syrinx_ledger_commit_seconds_sum')).toEqual({ '': 0.0005 })
  })

  it('count by label', async () => {
    const metrics = new Metrics()
    metrics.requests.answered('/audio/:file', 'GET', 206)
    metrics.requests.answered('/audio/:file', 'GET', 200)
    metrics.requests.answered('none', 'other', 0)
    metrics.tasks.taskEnded('plan', 'cancelled')
    metrics.service.errorTold('QUOTA_EXCEEDED')
    metrics.admission.refused('live')
    metrics.ledger.charged('tts', 12)
    metrics.ledger.charged('tts', 30)
    expect(await series(metrics, 'syrinx_requests_total')).toEqual({
      '{route="/audio/:file",method="GET",status="2xx"}': 2,
      '{route="none",method="other",status="none"}': 1,
    })
    expect(await series(metrics, 'syrinx_tasks_total')).toEqual({ '{kind="plan",outcome="cancelled"}': 1 })
    expect(await series(metrics, 'syrinx_errors_total')).toEqual({ '{code="QUOTA_EXCEEDED"}': 1 })
    expect(await series(metrics, 'syrinx_admission_refused_total')).toEqual({ '{pace="live"}': 1 })
    expect(await series(metrics, 'syrinx_characters_charged_total')).toEqual({ '{kind="tts"}': 42 })
  })

  it('read the state of the node when they are asked for', async () => {
    const metrics = new Metrics()
    const scheduler = { queued: 3, running: 2 }
    const admission = { liveStreams: 4, liveRoom: 1, microphoneRoom: 6, batchBacklogMs: 1_500 }
    metrics.watch({ scheduler, costs: { realTimeFactor: 0.25 }, admission, voiceRefiner: { count: 2 } })
    expect(await series(metrics, 'syrinx_tasks_queued')).toEqual({ '': 3 })
    scheduler.queued = 7
    expect(await series(metrics, 'syrinx_tasks_queued')).toEqual({ '': 7 })
    expect(await series(metrics, 'syrinx_tasks_running')).toEqual({ '': 2 })
    expect(await series(metrics, 'syrinx_real_time_factor')).toEqual({ '': 0.25 })
    expect(await series(metrics, 'syrinx_live_streams')).toEqual({ '': 4 })
    expect(await series(metrics, 'syrinx_live_streams_room')).toEqual({ '': 1 })
    expect(await series(metrics, 'syrinx_batch_backlog_seconds')).toEqual({ '': 1.5 })
    expect(await series(metrics, 'syrinx_voices_refining')).toEqual({ '': 2 })
  })

  it('add up what waits for the readers of open streams, and forget a stream that has ended', async () => {
    const metrics = new Metrics()
    const ended = metrics.service.speechBegan('sse', () => 1_000)
    metrics.service.speechBegan('websocket', () => 500)
    const read = async () => [
      await series(metrics, 'syrinx_streams_open'),
      await series(metrics, 'syrinx_stream_buffered_bytes'),
    ]
    expect(await read()).toEqual([{ '{way="sse"}': 1, '{way="websocket"}': 1 }, { '': 1_500 }])
    ended()
    ended()
    expect(await read()).toEqual([{ '{way="sse"}': 0, '{way="websocket"}': 1 }, { '': 500 }])
  })
})
