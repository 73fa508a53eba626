import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { Metrics } from '../../src/runtime/metrics.ts'

interface Panel {
  readonly id: number
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}

const SHIPPED = fileURLToPath(new URL('../../deploy/grafana.json', import.meta.url))
const { panels } = JSON.parse(readFileSync(SHIPPED, 'utf8')) as { panels: Panel[] }
const targets = panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })))

/** What `/metrics` offers: names of series, each with its labels. */
const offered = new Map<string, readonly string[]>()

beforeAll(async () => {
  const metrics = new Metrics()
  metrics.watch({
    scheduler: { queued: 0, running: 0 },
    costs: { realTimeFactor: 1 },
    admission: { liveStreams: 0, liveRoom: 0, microphoneRoom: 0, batchBacklogMs: 0 },
    voiceRefiner: { count: 0 },
  })
  // Labels show with the first sample.
  metrics.service.speechBegan('sse')
  metrics.service.firstAudio('sse', 1)
  metrics.service.speechEnded('sse', 'completed', 1)
  metrics.service.listeningBegan('auto')
  metrics.service.wordsFinal('auto', 1)
  metrics.service.errorTold('BAD_REQUEST')
  metrics.requests.answered('/', 'GET', 200)
  metrics.tasks.taskEnded('plan', 'done')
  metrics.tasks.taskRan('plan', 1)
  metrics.tasks.deadlineMissed('plan', 1)
  metrics.tasks.cancelled('plan', 1)
  metrics.admission.refused('live')
  metrics.ledger.charged('tts', 1)
  for (const line of (await metrics.text()).split('\n')) {
    const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? []
    if (name !== undefined)
      offered.set(
        name,
        [...labels.matchAll(/(\w+)=/g)].map(([, label = '']) => label),
      )
  }
})

/** Names of series in an expression: words that are neither functions, nor keywords, nor labels. */
function seriesOf(expression: string): string[] {
  return [...expression.matchAll(/\b(syrinx|process|nodejs)_\w+/g)].map(([name]) => name)
}

it('the dashboard asks only for figures that the node has', () => {
  expect(targets.length).toBeGreaterThan(20)
  const unknown = targets.flatMap(({ title, expr }) => {
    const names = seriesOf(expr)
    return names.length === 0 || names.some((name) => !offered.has(name)) ? [`${title}: ${expr}`] : []
  })
  expect(unknown).toEqual([])
})

it('the dashboard tells apart only what the figures tell apart', () => {
  const wrong = targets.flatMap(({ title, expr, legendFormat }) => {
    // Prometheus adds the node itself.
    const known = ['instance', ...seriesOf(expr).flatMap((name) => offered.get(name) ?? [])]
    const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(', '))
    const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)
    const lost = /\bsum\b/.test(expr) ? shown.filter((label) => !grouped.includes(label)) : []
    return [...grouped.filter((label) => !known.includes(label)), ...lost].map((label) => `${title}: ${label}`)
  })
  expect(wrong).toEqual([])
})

it('the dashboard lays its panels side by side', () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const places = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
  )
  expect(new Set(places).size).toBe(places.length)
})
