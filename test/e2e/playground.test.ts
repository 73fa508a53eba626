import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { SyrinxClient, wavFile } from 'syrinx/client'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type NodeUnderTest, startNode } from '../../bench/node-under-test.ts'
import { programPath } from '../programs.ts'

const TEXT = 'A warm golden light spilled out across the stones of the garden path.'
/** Only bounds a failure. */
const PATIENCE_MS = 150_000

let node: NodeUnderTest
let keys: { voice: string; stt: string; admin: string }
let folder: string
/** What `TEXT` is as sound, and as the answer that carries it. */
let spoken: { readonly wav: string; readonly samples: number; readonly events: string }
let browser: Browser
let page: Page
/** Whatever a user would find in the console. */
const complaints: string[] = []

beforeAll(async () => {
  node = await startNode()
  const account = await node.command('account', 'create', '--name', 'page', '--tts-quota', '100000')
  const { id } = account as { id: string }
  const create = async (kind: string, ...words: string[]) => {
    const made = await node.command('key', 'create', '--account', id, '--kind', kind, '--name', `my ${kind}`, ...words)
    return (made as { key: string }).key
  }
  keys = {
    voice: await create('voice', '--voice', 'preset_af_heart'),
    stt: await create('stt'),
    admin: await create('admin'),
  }
  folder = await mkdtemp(join(tmpdir(), 'syrinx-playground-'))
  spoken = await speak()
  browser = await launch(LEAVE, MICROPHONE, `--use-file-for-fake-audio-capture=${spoken.wav}`)
})

afterAll(async () => {
  await browser?.close()
  await node?.stop()
  await rm(folder, { recursive: true, force: true })
})

beforeEach(async () => {
  complaints.length = 0
  page = await browser.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto(node.url)
})

afterEach(() => page.close())

/** Whatever a page asks leave for it gets. */
const LEAVE = '--use-fake-ui-for-media-stream'
const MICROPHONE = '--use-fake-device-for-media-stream'

function launch(...args: string[]): Promise<Browser> {
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']
  return chromium.launch({
    executablePath: programPath('chromium') ?? 'chromium',
    args: ['--no-sandbox', '--disable-gpu', ...quiet, ...args],
  })
}

async function speak(): Promise<typeof spoken> {
  const response = await fetch(`${node.url}/api/v1/tts/sse`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${keys.voice}` },
    body: JSON.stringify({ text: TEXT, timestamps: true }),
  })
  const events = await response.text()
  const client = new SyrinxClient({ baseUrl: node.url, apiKey: 'unused', fetch: async () => new Response(events) })
  const chunks: Int16Array[] = []
  for await (const chunk of await client.speak(TEXT)) chunks.push(chunk)
  const samples = chunks.reduce((sum, { length }) => sum + length, 0)
  // A microphone hears silence before and after.
  const silence = new Int16Array(24_000)
  const file = wavFile([silence, ...chunks, silence, silence], 24_000)
  const wav = join(folder, 'spoken.wav')
  await writeFile(wav, Buffer.from(await file.arrayBuffer()))
  return { wav, samples, events }
}

async function addKey(key: string): Promise<void> {
  await page.locator('#key-entry:not([open])').waitFor()
  await page.getByText('Add a key').click()
  await page.getByLabel('Paste a key').fill(key)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
}

/** The first key goes in without opening anything. */
async function addFirstKey(key: string): Promise<void> {
  await page.getByLabel('Paste a key').fill(key)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
}

/** Figures of the player, in samples. */
async function heard(): Promise<{ received: number; played: number; gaps: number }> {
  const place = page.locator('#speech')
  const figure = async (name: string) => Number(await place.getAttribute(`data-${name}`))
  return { received: await figure('received'), played: await figure('played'), gaps: await figure('gaps') }
}

/** What a click on a link leaves in the downloads. */
async function downloaded(link: Locator): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
  return readFile(await download.path())
}

const chosen = () => page.getByRole('tab', { selected: true }).getAttribute('id')
const keyCount = () => page.locator('#key-list li').count()
const speakButton = () => page.getByRole('button', { name: 'Speak', exact: true })

describe('the playground', () => {
  it('speaks: every sample that came was played, and a WAV of them can be kept', async () => {
    await addFirstKey(keys.voice)
    await page.getByText('characters left').waitFor()
    await page.getByLabel('Text').fill(TEXT)
    await speakButton().click()
    await page.getByText('First audio after').waitFor()
    const link = page.getByRole('link', { name: 'Download WAV' })
    await link.waitFor()
    const { received, played } = await heard()
    expect([received, played]).toEqual([spoken.samples, spoken.samples])
    expect((await downloaded(link)).length).toBe(44 + 2 * spoken.samples)
    await page.getByText(/99,\d{3} of 100,000 characters left/).waitFor()
    expect(complaints).toEqual([])
  })

  it('plays without a gap what comes in time, and marks the words as they are heard', async () => {
    // The same answer, and heard only when all of it has come, however busy this machine is.
    const body = { status: 200, headers: { 'Content-Type': 'text/event-stream' }, body: spoken.events }
    await page.route('**/api/v1/tts/sse', (route) => route.fulfill(body))
    await page.evaluate(`
      const words = []
      const place = document.getElementById('speak-words')
      const note = () => words.push(...[...place.querySelectorAll('mark')].map((mark) => mark.textContent))
      new MutationObserver(note).observe(place, { childList: true, subtree: true })
      window.markedWords = words
      const post = MessagePort.prototype.postMessage
      const held = []
      MessagePort.prototype.postMessage = function (...message) {
        held.push(() => post.apply(this, message))
        if (message[0].type === 'end') for (const send of held.splice(0)) send()
      }
    `)
    await addFirstKey(keys.voice)
    await page.getByLabel('Text').fill(TEXT)
    await speakButton().click()
    await page.getByRole('link', { name: 'Download WAV' }).waitFor()
    expect(await heard()).toEqual({ received: spoken.samples, played: spoken.samples, gaps: 0 })
    const marked = (await page.evaluate('window.markedWords')) as string[]
    expect([...new Set(marked)]).toEqual(TEXT.split(' ').filter((word, i, all) => all.indexOf(word) === i))
    expect(complaints).toEqual([])
  })

  it('stops at a click, and the node with it', async () => {
    await addFirstKey(keys.voice)
    await page.getByLabel('Text').fill(TEXT.repeat(20))
    await speakButton().click()
    await page.getByText('so far').waitFor()
    await page.getByRole('button', { name: 'Stop' }).first().click()
    await page.getByText('Stopped').waitFor()
    const { received } = await heard()
    // Of twenty times the text, the player reads a minute ahead.
    expect(received).toBeLessThan(18 * spoken.samples)
    expect(complaints).toEqual([])
  })

  it('offers the model’s voices, and those of the keys, to an account key', async () => {
    await addFirstKey(keys.admin)
    const voices = page.getByLabel('Voice', { exact: true })
    await expect.poll(() => voices.locator('option').count()).toBeGreaterThan(50)
    await voices.selectOption('preset_bf_emma')
    await page.getByLabel('Text').fill('Hello.')
    await speakButton().click()
    await page.getByRole('link', { name: 'Download WAV' }).waitFor()
    await page.getByText('6 characters used').waitFor()
    expect(complaints).toEqual([])
  })

  it('writes down a file that is chosen, with its progress', async () => {
    await addFirstKey(keys.stt)
    await page.getByRole('tab', { name: 'File' }).click()
    await page.getByLabel('Choose a recording').setInputFiles(spoken.wav)
    await page.getByText('written down in').waitFor()
    await expect.poll(() => page.locator('#file-transcript').textContent()).toMatch(/golden light/i)
    const subtitles = await downloaded(page.getByRole('link', { name: 'Download subtitles' }))
    expect(subtitles.toString()).toMatch(/^WEBVTT\n\n00:00:0\d\.\d{3} --> 00:00:0\d\.\d{3}\n.*golden light/i)
    expect(complaints).toEqual([])
  })

  it('writes down what the microphone hears, as it settles, and stops at a click', async () => {
    await addFirstKey(keys.stt)
    await page.getByRole('tab', { name: 'Listen' }).click()
    await page.getByLabel('Language').locator('visible=true').selectOption('en')
    await page.getByRole('button', { name: 'Start listening' }).click()
    const segments = page.locator('#listen-segments p')
    await expect
      .poll(() => segments.allTextContents(), { timeout: PATIENCE_MS })
      .toContainEqual(expect.stringMatching(/golden light/i))
    await page.getByRole('button', { name: 'Stop', exact: true }).locator('visible=true').click()
    await page.getByRole('button', { name: 'Start listening' }).waitFor()
    expect(await page.locator('#listen-problem').textContent()).toBe('')
    expect(complaints).toEqual([])
  })

  it('gives up waiting for the microphone at a key press, and switches off one that is granted afterwards', async () => {
    await page.evaluate(`
      const { mediaDevices } = navigator
      const ask = mediaDevices.getUserMedia.bind(mediaDevices)
      mediaDevices.getUserMedia = async (wanted) => {
        await new Promise((resolve) => { window.grant = resolve })
        window.granted = await ask(wanted)
        return window.granted
      }
    `)
    await addFirstKey(keys.stt)
    await page.getByRole('tab', { name: 'Listen' }).click()
    await page.getByRole('button', { name: 'Start listening' }).press('Enter')
    await page.getByText('Waiting for the microphone').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Start listening' }).waitFor()
    expect(await page.locator('#listen-activity').textContent()).toBe('')
    await page.evaluate('window.grant()')
    const states = () => page.evaluate('window.granted?.getTracks().map(({ readyState }) => readyState)')
    await expect.poll(states).toEqual(['ended'])
    expect(await page.locator('#listen-problem').textContent()).toBe('')
    expect(complaints).toEqual([])
  })

  it('ends a turn when told to', async () => {
    await addFirstKey(keys.stt)
    await page.getByRole('tab', { name: 'Listen' }).click()
    await page.getByLabel('A turn ends').selectOption('manual')
    await page.getByRole('button', { name: 'Start listening' }).click()
    await expect.poll(() => page.locator('#listen-partial').textContent(), { timeout: PATIENCE_MS }).toMatch(/golden/i)
    await page.getByRole('button', { name: 'End of turn' }).click()
    await expect.poll(() => page.locator('#listen-segments').textContent(), { timeout: PATIENCE_MS }).toMatch(/golden/i)
    await page.getByRole('button', { name: 'Stop', exact: true }).locator('visible=true').click()
    await page.getByRole('button', { name: 'Start listening' }).waitFor()
    expect(complaints).toEqual([])
  })

  it('takes a file that is dropped', async () => {
    await addFirstKey(keys.stt)
    await page.getByRole('tab', { name: 'File' }).click()
    const data = await page.evaluateHandle(`{
      const transfer = new DataTransfer()
      transfer.items.add(new File(['no audio'], 'notes.txt'))
      transfer
    }`)
    await page.locator('#file-drop').dispatchEvent('drop', { dataTransfer: data })
    await page.getByRole('alert').filter({ hasText: 'unsupported_audio_format' }).waitFor()
  })

  it('makes a voice only with consent, shows its key once, and deletes it when that is confirmed', async () => {
    const calls: string[] = []
    const voice = { voice_id: 'voice_mine', name: 'Ada', status: 'ready', deduped: false }
    const entry = { id: 'key_1', kind: 'tts', name: 'Ada', last_four: 'abcd', status: 'active', voice_id: 'voice_mine' }
    let hasVoice = false
    await page.route('**/api/v1/voices**', async (route) => {
      const request = route.request()
      calls.push(`${request.method()} ${new URL(request.url()).pathname}`)
      hasVoice = request.method() === 'POST'
      const data = hasVoice
        ? { ...voice, key_status: 'created', api_key: { key: 'vc_sk_live_secret', last_four: 'cret', scopes: [] } }
        : { voice_id: 'voice_mine', name: 'Ada', deleted: true }
      await route.fulfill({ status: hasVoice ? 201 : 200, json: { ok: true, data } })
    })
    await page.route('**/api/v1/keys', (route) =>
      route.fulfill({ json: { ok: true, data: { keys: { admin: [], tts: hasVoice ? [entry] : [], stt: [] } } } }),
    )
    await addFirstKey(keys.admin)
    await page.getByRole('tab', { name: 'Voices' }).click()
    await page.getByLabel('Recording of one person').setInputFiles(spoken.wav)
    await page.getByLabel('Name', { exact: true }).fill('Ada')
    await page.getByRole('button', { name: 'Make a voice' }).click()
    expect(await page.evaluate('document.activeElement.id')).toBe('voice-consent')
    expect(calls).toEqual([])
    await page.getByLabel('has agreed').check()
    await page.getByRole('button', { name: 'Make a voice' }).click()
    await page.getByText('vc_sk_live_secret').waitFor()
    await page.getByText('Ada is ready').waitFor()
    await expect.poll(() => page.locator('#speak-voice option[value=voice_mine]').count()).toBe(1)

    page.once('dialog', (dialog) => dialog.dismiss())
    await page.getByRole('button', { name: 'Delete the voice Ada' }).click()
    page.once('dialog', (dialog) => dialog.accept())
    await page.getByRole('button', { name: 'Delete the voice Ada' }).click()
    await page.getByText('Ada is deleted').waitFor()
    await page.getByText('None yet.').waitFor()
    expect(calls).toEqual(['POST /api/v1/voices', 'DELETE /api/v1/voices/voice_mine'])
    expect(complaints).toEqual([])
  })

  it('says what is wrong with a key, and does not keep it', async () => {
    await addFirstKey('hello')
    await page.getByRole('alert').filter({ hasText: 'that is no key' }).waitFor()
    await addFirstKey(`vc_sk_live_${'0'.repeat(43)}`)
    await page.getByRole('alert').filter({ hasText: 'INVALID_API_KEY' }).waitFor()
    expect(await keyCount()).toBe(0)
    await speakButton().click()
    await page.getByRole('alert').filter({ hasText: 'add a voice key' }).waitFor()
  })

  it('keeps keys in the tab alone, and forgets one that is removed', async () => {
    await addFirstKey(keys.voice)
    await addKey(`${keys.stt}\n${keys.admin}`)
    await expect.poll(keyCount).toBe(3)
    await page.reload()
    await expect.poll(keyCount).toBe(3)
    expect(await page.evaluate('[localStorage.length, document.cookie]')).toEqual([0, ''])
    await page.getByRole('button', { name: 'Remove the voice key' }).click()
    await page.reload()
    await expect.poll(keyCount).toBe(2)
    expect(complaints).toEqual([])
  })

  it('works from the keyboard alone', async () => {
    const focused = () => page.evaluate('document.activeElement?.id')
    const tabTo = async (id: string) => {
      for (let i = 0; i < 30 && (await focused()) !== id; i++) await page.keyboard.press('Tab')
      expect(await focused()).toBe(id)
    }
    await tabTo('key-input')
    await page.keyboard.insertText(keys.voice)
    await page.keyboard.press('Enter')
    await page.getByText('characters left').waitFor()
    await tabTo('speak-tab')
    for (const [key, id] of [
      ['ArrowRight', 'listen-tab'],
      ['End', 'voices-tab'],
      ['ArrowRight', 'speak-tab'],
    ] as const) {
      await page.keyboard.press(key)
      expect(await focused()).toBe(id)
      expect([await chosen(), await page.getByRole('tabpanel').count()]).toEqual([id, 1])
    }
    await tabTo('speak-text')
    await page.keyboard.press('Control+A')
    await page.keyboard.insertText('Hello.')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Spoken to the end').waitFor()
    const { received, played } = await heard()
    expect(played).toBe(received)
    expect(complaints).toEqual([])
  })

  it('asks no other host for anything', async () => {
    const hosts = new Set<string>()
    page.on('request', (request) => hosts.add(new URL(request.url()).host))
    await page.reload()
    await addFirstKey(keys.voice)
    await speakButton().click()
    await page.getByText('so far').waitFor()
    expect([...hosts].filter((host) => host !== '' && host !== new URL(node.url).host)).toEqual([])
  })
})

describe('where there is no sound, the playground says why', () => {
  const other = 'node.test'
  const elsewhere = `--host-resolver-rules=MAP ${other} 127.0.0.1`

  /** A page of a browser of its own, with a key. */
  async function open(args: readonly string[], key: string, script = '', hostname = '127.0.0.1'): Promise<Page> {
    const itsBrowser = await launch(...args)
    onTestFinished(() => itsBrowser.close())
    const opened = await itsBrowser.newPage()
    opened.setDefaultTimeout(PATIENCE_MS)
    await opened.addInitScript(script)
    await opened.goto(Object.assign(new URL(node.url), { hostname }).href)
    await opened.getByLabel('Paste a key').fill(key)
    await opened.getByRole('button', { name: 'Add', exact: true }).click()
    await opened.locator('#key-list li').waitFor()
    return opened
  }

  async function startListening(on: Page): Promise<void> {
    await on.getByRole('tab', { name: 'Listen' }).click()
    await on.getByRole('button', { name: 'Start listening' }).click()
  }

  it.each([
    ['without a microphone', 'no microphone was found', [LEAVE]],
    ['without leave to use it', 'not given leave', [MICROPHONE, '--deny-permission-prompts']],
    ['in a page from elsewhere over plain HTTP', 'over https', [LEAVE, MICROPHONE, elsewhere], '', other],
    ['in a browser without AudioContext', 'no AudioContext', [LEAVE, MICROPHONE], 'delete window.AudioContext'],
    ['in a browser without AudioWorklet', 'no AudioWorklet', [LEAVE, MICROPHONE], 'delete window.AudioWorkletNode'],
  ])('%s, and can be asked again', async (_, reason, args, script = '', hostname = '127.0.0.1') => {
    const opened = await open(args, keys.stt, script, hostname)
    await startListening(opened)
    await opened.getByRole('alert').filter({ hasText: reason }).waitFor()
    await expect.poll(() => opened.getByRole('button', { name: 'Start listening' }).isEnabled()).toBe(true)
  })

  it('while the browser asks whether the microphone may be used', async () => {
    const opened = await open([], keys.stt, 'navigator.mediaDevices.getUserMedia = () => new Promise(() => {})')
    await startListening(opened)
    await opened.getByText('Waiting for the microphone').waitFor()
  })

  it('of what it speaks, too', async () => {
    const opened = await open([elsewhere], keys.voice, '', other)
    await opened.getByRole('button', { name: 'Speak', exact: true }).click()
    await opened.getByRole('alert').filter({ hasText: 'over https' }).waitFor()
  })
})
