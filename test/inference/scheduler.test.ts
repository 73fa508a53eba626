import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { CostModel } from '../../src/inference/cost-model.ts'
import { Scheduler, TaskCancelled, WorkerLost } from '../../src/inference/scheduler.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { LISTENING_SAMPLE_RATE } from '../../src/speech/recognition.ts'
import type { SpeechTask } from '../../src/speech/task-protocol.ts'
import { TaskLate, type TaskOrder } from '../../src/speech/task-runner.ts'
import { FakeClock } from '../fake-clock.ts'
import { ScriptedPool, settled } from './scripted-pool.ts'

const BATCH = Number.POSITIVE_INFINITY

function planOf(text: string): SpeechTask {
  return { kind: 'plan', part: 'all', text, pronunciation: 'en-us', styles: new Float32Array(), speed: 1 }
}

function setUp(workers: number) {
  const pool = new ScriptedPool(workers)
  const scheduler = new Scheduler(pool, new CostModel(), systemClock)
  const submit = (text: string, deadline: number, signal?: AbortSignal) =>
    scheduler.run(planOf(text), signal ? { deadline, signal } : { deadline })
  const startedTexts = () => pool.started.map((task) => (task.kind === 'plan' ? task.text : task.kind))
  return { pool, scheduler, submit, startedTexts }
}

describe('Scheduler', () => {
  it('never runs more tasks than there are workers', async () => {
    const { pool, scheduler, submit } = setUp(2)
    const all = ['a', 'b', 'c', 'd'].map((text) => submit(text, 1))
    expect([pool.running, scheduler.running, scheduler.queued]).toEqual([2, 2, 2])
    for (const _ of all) await pool.finish()
    await Promise.all(all)
    expect([pool.running, scheduler.running, scheduler.queued]).toEqual([0, 0, 0])
  })

  it('starts the task with the earliest deadline first, and equal deadlines in the order of arrival', async () => {
    const { pool, submit, startedTexts } = setUp(1)
    for (const [text, deadline] of [
      ['first', 5],
      ['late', 30],
      ['soon', 10],
      ['also soon', 10],
    ] as const) {
      void submit(text, deadline)
    }
    for (let i = 0; i < 4; i++) await pool.finish()
    expect(startedTexts()).toEqual(['first', 'soon', 'also soon', 'late'])
  })

  it('lets batch tasks wait for every task with a deadline', async () => {
    const { pool, submit, startedTexts } = setUp(1)
    for (const [text, deadline] of [
      ['running', 1],
      ['batch', BATCH],
      ['live', 99],
    ] as const)
      void submit(text, deadline)
    for (let i = 0; i < 3; i++) await pool.finish()
    expect(startedTexts()).toEqual(['running', 'live', 'batch'])
  })

  it('lets what nobody waits for come after all other batch tasks', async () => {
    const { pool, scheduler, submit, startedTexts } = setUp(1)
    void submit('running', 1)
    for (const text of ['ahead', 'ahead, too']) void scheduler.run(planOf(text), { deadline: BATCH, isAhead: true })
    void submit('batch', BATCH)
    for (let i = 0; i < 4; i++) await pool.finish()
    expect(startedTexts()).toEqual(['running', 'batch', 'ahead', 'ahead, too'])
  })

  it('drops what nobody waits for when it drains, and does everything else', async () => {
    const { pool, scheduler, submit, startedTexts } = setUp(1)
    const ahead = (text: string) => scheduler.run(planOf(text), { deadline: BATCH, isAhead: true })
    void submit('running', 1)
    const waiting = ahead('ahead')
    void submit('batch', BATCH)
    scheduler.drain()
    await expect(waiting).rejects.toThrow(TaskCancelled)
    await expect(ahead('more')).rejects.toThrow(TaskCancelled)
    for (let i = 0; i < 2; i++) await pool.finish()
    await scheduler.idle()
    expect(startedTexts()).toEqual(['running', 'batch'])
  })

  it('goes by what an order says when a result was taken, not by what it said when the task came', async () => {
    const { pool, scheduler, submit, startedTexts } = setUp(2)
    const order = { deadline: BATCH, isAhead: true }
    const calibration = { kind: 'calibrate', style: new Float32Array(), utterance: 0 } as const
    void submit('running', 1).then(() => Object.assign(order, { deadline: 20, isAhead: false }))
    for (let i = 0; i < 2; i++) void scheduler.run(calibration, order)
    void submit('batch', BATCH)
    expect(startedTexts()).toEqual(['running', 'batch'])
    void submit('late', 30)
    await pool.finish()
    await pool.finish()
    expect(startedTexts()).toEqual(['running', 'batch', 'calibrate', 'calibrate'])
  })

  it('lets whoever takes a result go on first, if what they want next is wanted sooner', async () => {
    const { pool, submit, startedTexts } = setUp(1)
    void submit('first', 5).then(() => submit('next', 10))
    void submit('other', 20)
    await pool.finish()
    expect(startedTexts()).toEqual(['first', 'next'])
  })

  it('keeps one worker free of batch tasks while somebody listens, and gives it back afterwards', () => {
    const { pool, scheduler, submit } = setUp(2)
    const leave = scheduler.listen()
    void submit('batch 1', BATCH)
    void submit('batch 2', BATCH)
    expect(pool.running).toBe(1)
    leave()
    leave()
    expect(pool.running).toBe(2)
  })

  it('lets a batch task go before speech that nobody needs for long, and the other worker stay free meanwhile', async () => {
    const { pool, scheduler, submit, startedTexts } = setUp(2)
    const far = systemClock.monotonic() + 60_000
    scheduler.listen()
    for (const text of ['far 1', 'far 2', 'far 3']) void submit(text, far)
    void submit('batch', BATCH)
    void submit('far 4', far)
    expect(startedTexts()).toEqual(['far 1', 'far 2'])
    await pool.finish()
    expect(startedTexts()).toEqual(['far 1', 'far 2'])
    await pool.finish()
    expect(startedTexts()).toEqual(['far 1', 'far 2', 'batch'])
    void submit('near', systemClock.monotonic() + 1_000)
    expect(startedTexts().at(-1)).toBe('near')
    await pool.finish()
    await pool.finish()
    expect(startedTexts().slice(-2)).toEqual(['far 3', 'far 4'])
  })

  it('begins speech that waits beside a free worker in time, though nothing happens meanwhile', async () => {
    const clock = new FakeClock()
    const pool = new ScriptedPool(2)
    const scheduler = new Scheduler(pool, new CostModel(), clock)
    scheduler.listen()
    void scheduler.run(planOf('batch'), { deadline: BATCH })
    void scheduler.run(planOf('far'), { deadline: clock.monotonic() + 20_000 })
    clock.advance(14_000)
    expect(pool.started).toHaveLength(1)
    clock.advance(1_000)
    expect(pool.started).toHaveLength(2)
  })

  it('lets speech that waits for a batch task go on when that is cancelled, and starts nothing that is cancelled with it', async () => {
    const { pool, scheduler, submit, startedTexts } = setUp(2)
    const far = systemClock.monotonic() + 60_000
    scheduler.listen()
    void submit('running', 1)
    const abort = new AbortController()
    const cancelled = ['batch 1', 'batch 2'].map((text) => submit(text, BATCH, abort.signal))
    void submit('far', far)
    expect(startedTexts()).toEqual(['running'])
    abort.abort()
    for (const task of cancelled) await expect(task).rejects.toThrow(TaskCancelled)
    expect(startedTexts()).toEqual(['running', 'far'])
    await pool.finish()
    expect(startedTexts()).toEqual(['running', 'far'])
  })

  it('leaves all workers to speech that nobody needs for long while no batch task is due', () => {
    const { scheduler, submit, startedTexts } = setUp(2)
    const far = systemClock.monotonic() + 60_000
    scheduler.listen()
    void scheduler.run(planOf('ahead'), { deadline: BATCH, isAhead: true })
    for (const text of ['far 1', 'far 2']) void submit(text, far)
    expect(startedTexts()).toEqual(['ahead', 'far 1'])
  })

  it('never gives the last worker to a batch task that runs long', () => {
    const { pool, scheduler } = setUp(2)
    const calibration = { kind: 'calibrate', style: new Float32Array(), utterance: 0 } as const
    void scheduler.run(calibration, { deadline: BATCH })
    void scheduler.run(calibration, { deadline: BATCH })
    expect(pool.running).toBe(1)
  })

  it('runs batch tasks on a single worker when nothing else waits', () => {
    const { pool, submit } = setUp(1)
    void submit('batch', BATCH)
    expect(pool.running).toBe(1)
  })

  it('runs a task again whose worker died, once, and tells nobody', async () => {
    const { pool, submit, startedTexts } = setUp(1)
    const result = submit('window', 1)
    await pool.fail(new WorkerLost())
    await pool.finish({ status: 'planned' })
    await expect(result).resolves.toEqual({ status: 'planned' })
    expect(startedTexts()).toEqual(['window', 'window'])
  })

  it('gives up on a task that killed two workers', async () => {
    const { pool, submit } = setUp(1)
    const result = submit('poison', 1)
    const refused = expect(result).rejects.toThrow(WorkerLost)
    await pool.fail(new WorkerLost())
    await pool.fail(new WorkerLost())
    await refused
    expect(pool.running).toBe(0)
  })

  it('does not repeat a task that failed by itself', async () => {
    const { pool, submit } = setUp(1)
    const result = submit('bad', 1)
    const refused = expect(result).rejects.toThrow('no such voice')
    await pool.fail(new Error('no such voice'))
    await refused
    expect(pool.started).toHaveLength(1)
  })

  it('drops a cancelled task that waits, and never starts one cancelled before', async () => {
    const { pool, scheduler, submit } = setUp(1)
    void submit('running', 1)
    const abort = new AbortController()
    const waiting = submit('waiting', 2, abort.signal)
    const refused = expect(waiting).rejects.toThrow(TaskCancelled)
    abort.abort()
    await refused
    expect(scheduler.queued).toBe(0)
    await expect(submit('too late', 3, abort.signal)).rejects.toThrow(TaskCancelled)
    await pool.finish()
    expect(pool.started).toHaveLength(1)
  })

  it('learns what a task costs from those that ran beside others, on every worker there is', async () => {
    const [costs, clock] = [new CostModel(), new FakeClock()]
    const pool = new ScriptedPool(2, clock)
    const scheduler = new Scheduler(pool, costs, clock)
    costs.calibrate([{ task: planOf('text'), ms: 100 }])
    const runFor = async (ms: number, atOnce: number) => {
      for (let i = 0; i < atOnce; i++) void scheduler.run(planOf('text'), { deadline: 1 })
      clock.advance(ms)
      for (let i = 0; i < atOnce; i++) await pool.finish()
    }
    for (let i = 0; i < 50; i++) await runFor(60, 1)
    expect(costs.predictMs(planOf('text'))).toBeCloseTo(100)
    for (let i = 0; i < 50; i++) await runFor(80, 2)
    expect(costs.predictMs(planOf('text'))).toBeCloseTo(80, 0)
  })

  it('holds on to nothing of a task that has ended, however long its signal lives', async () => {
    const { pool, submit } = setUp(1)
    const { signal } = new AbortController()
    const done = submit('done', 1, signal)
    await pool.finish()
    await done
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('frees the caller of a cancelled task at once, and the worker when the task ends', async () => {
    const { pool, scheduler, submit } = setUp(1)
    const abort = new AbortController()
    const running = submit('running', 1, abort.signal)
    const refused = expect(running).rejects.toThrow(TaskCancelled)
    abort.abort()
    await refused
    expect(scheduler.running).toBe(1)
    await pool.finish()
    await settled()
    expect(scheduler.running).toBe(0)
  })
})

describe('a listener beside microphones', () => {
  const SEGMENT_SECONDS = 4

  function beside(runsDryAt: number) {
    const [costs, clock] = [new CostModel(), new FakeClock()]
    const pool = new ScriptedPool(2, clock)
    const scheduler = new Scheduler(pool, costs, clock)
    scheduler.listen(() => runsDryAt)
    const segment = new Float32Array(SEGMENT_SECONDS * LISTENING_SAMPLE_RATE)
    const final: SpeechTask = { kind: 'recognize', samples: segment, languages: ['en'], wordTimes: false }
    const submit = (task: SpeechTask, deadline: number) => void scheduler.run(task, { deadline })
    const startedKinds = () => pool.started.map(({ kind }) => kind)
    return { pool, clock, scheduler, final, submit, startedKinds, finalMs: costs.predictMs(final) }
  }

  it('keeps a worker that speech could not be without until a final is done, however soon more are due', async () => {
    const { pool, final, submit, startedKinds, finalMs } = beside(500)
    expect(finalMs).toBe(500)
    submit(final, 10)
    submit(final, 20)
    expect(startedKinds()).toEqual(['recognize'])
    submit(planOf('next'), 400)
    expect(startedKinds()).toEqual(['recognize', 'plan'])
    await pool.finish()
    expect(startedKinds()).toEqual(['recognize', 'plan', 'recognize'])
  })

  it('leaves both workers to finals while there is enough to hear', () => {
    const { final, submit, startedKinds } = beside(5_000)
    submit(final, 10)
    submit(final, 20)
    expect(startedKinds()).toEqual(['recognize', 'recognize'])
  })

  it('gives finals the worker beside one that makes speech', () => {
    const { final, submit, startedKinds } = beside(500)
    submit(planOf('speech'), 5)
    submit(final, 10)
    expect(startedKinds()).toEqual(['plan', 'recognize'])
  })

  it('expects nothing of a task that should have been done long ago', () => {
    const { clock, final, submit, startedKinds } = beside(5_000)
    submit(final, 10)
    clock.advance(4_600)
    submit(final, 4_700)
    expect(startedKinds()).toEqual(['recognize'])
  })

  it('waits for what was made to be handed over', async () => {
    let runsDryAt = 500
    const { pool, scheduler, final, submit, startedKinds } = beside(5_000)
    scheduler.listen(() => runsDryAt)
    void scheduler.run(planOf('speech'), { deadline: 5 }).then(() => {
      runsDryAt = 2_000
    })
    submit(final, 10)
    submit(final, 20)
    await pool.finish()
    expect(startedKinds()).toEqual(['plan', 'recognize', 'recognize'])
  })

  it('counts everybody who listens, until they leave', () => {
    const { scheduler, final, submit, startedKinds } = beside(5_000)
    const leave = scheduler.listen(() => 500)
    submit(final, 10)
    submit(final, 20)
    expect(startedKinds()).toEqual(['recognize'])
    leave()
    expect(startedKinds()).toEqual(['recognize', 'recognize'])
  })
})

describe('the observer of a scheduler', () => {
  function observed(workers = 1) {
    const clock = new FakeClock()
    const pool = new ScriptedPool(workers, clock)
    const heard: (readonly [string, ...unknown[]])[] = []
    const scheduler = new Scheduler(pool, new CostModel(), clock, {
      taskEnded: (...args) => heard.push(['ended', ...args]),
      taskRan: (...args) => heard.push(['ran', ...args]),
      deadlineMissed: (...args) => heard.push(['missed', ...args]),
      cancelled: (...args) => heard.push(['cancelled', ...args]),
      workerLost: () => heard.push(['lost']),
    })
    const submit = (order: TaskOrder) => {
      const result = scheduler.run(planOf('text'), order)
      result.catch(() => {})
      return result
    }
    return { pool, clock, heard, submit }
  }

  it('hears how late a task was done whose deadline lay ahead when it came, waiting included', async () => {
    const { pool, clock, heard, submit } = observed()
    void submit({ deadline: 100 })
    void submit({ deadline: 150 })
    clock.advance(100)
    await pool.finish()
    clock.advance(90)
    await pool.finish()
    expect(heard).toEqual([
      ['ran', 'plan', 100],
      ['ended', 'plan', 'done'],
      ['ran', 'plan', 90],
      ['missed', 'plan', 40],
      ['ended', 'plan', 'done'],
    ])
  })

  it('hears of no miss where nothing could have been in time: a deadline of now or before, or none', async () => {
    const { pool, clock, heard, submit } = observed(3)
    clock.advance(1_000)
    void submit({ deadline: 1_000 })
    void submit({ deadline: 400 })
    clock.advance(50)
    await pool.finish()
    await pool.finish()
    void submit({ deadline: BATCH })
    clock.advance(50)
    await pool.finish()
    expect(heard.filter(([what]) => what === 'missed')).toEqual([])
    expect(heard.filter(([what]) => what === 'ended')).toHaveLength(3)
  })

  it('hears of a task that is cancelled while it runs once, and of the time it took its worker', async () => {
    const { pool, clock, heard, submit } = observed()
    const abort = new AbortController()
    void submit({ deadline: 10, signal: abort.signal })
    abort.abort()
    clock.advance(30)
    await pool.finish()
    expect(heard).toEqual([
      ['ended', 'plan', 'cancelled'],
      ['ran', 'plan', 30],
      ['cancelled', 'plan', 30],
    ])
    await expect(submit({ deadline: 10, signal: abort.signal })).rejects.toThrow(TaskCancelled)
    expect(heard.slice(3)).toEqual([['ended', 'plan', 'cancelled']])
  })

  it('hears once of a stream that is left, when the last of its tasks gives its worker back', async () => {
    const { pool, clock, heard, submit } = observed(2)
    const abort = new AbortController()
    for (let i = 0; i < 3; i++) void submit({ deadline: 10, signal: abort.signal })
    void submit({ deadline: 20, signal: new AbortController().signal })
    clock.advance(500)
    abort.abort()
    clock.advance(30)
    await pool.finish()
    clock.advance(15)
    expect(heard.filter(([what]) => what === 'cancelled')).toEqual([])
    await pool.finish()
    expect(heard.filter(([what]) => what === 'cancelled')).toEqual([['cancelled', 'plan', 45]])
    await pool.finish()
    expect(heard.filter(([what]) => what === 'cancelled')).toHaveLength(1)
  })

  it('hears at once of a stream that is left while its tasks wait, and nothing of one that is left without any', async () => {
    const { pool, clock, heard, submit } = observed()
    const [waiting, done] = [new AbortController(), new AbortController()]
    void submit({ deadline: 10, signal: done.signal })
    for (let i = 0; i < 2; i++) void submit({ deadline: 20, signal: waiting.signal })
    clock.advance(5)
    waiting.abort()
    expect(heard.filter(([what]) => what === 'cancelled')).toEqual([['cancelled', 'plan', 0]])
    await pool.finish()
    done.abort()
    expect(heard.filter(([what]) => what === 'cancelled')).toHaveLength(1)
  })

  it('takes no cancellation for an end that comes after a task is done', async () => {
    const { pool, heard, submit } = observed()
    const abort = new AbortController()
    void submit({ deadline: 10, signal: abort.signal })
    await pool.finish()
    abort.abort()
    expect(heard.filter(([what]) => what === 'ended')).toEqual([['ended', 'plan', 'done']])
  })

  it('hears of every worker that dies, of the task that killed two, and of one that failed', async () => {
    const { pool, heard, submit } = observed()
    void submit({ deadline: 1 })
    await pool.fail(new WorkerLost())
    await pool.fail(new WorkerLost())
    void submit({ deadline: 1 })
    await pool.fail(new Error('no such voice'))
    expect(heard).toEqual([['lost'], ['lost'], ['ended', 'plan', 'worker_lost'], ['ended', 'plan', 'failed']])
  })

  it('hears of a task that waited until it was no longer worth it', async () => {
    const { pool, clock, heard, submit } = observed()
    void submit({ deadline: 10 })
    const late = expect(submit({ deadline: 20, startBy: 20 })).rejects.toThrow(TaskLate)
    clock.advance(30)
    await pool.finish()
    await late
    expect(heard.at(-1)).toEqual(['ended', 'plan', 'late'])
  })
})
