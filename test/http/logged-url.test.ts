import { expect, it } from 'vitest'
import { loggedUrl } from '../../src/http/logged-url.ts'

it.each([
  ['/ws/tts/stream?token=abc', '/ws/tts/stream?token=…'],
  ['/ws?language=en&token=abc&x=1', '/ws?language=en&token=…&x=1'],
  ['/ws?TOKEN=abc', '/ws?TOKEN=…'],
  ['/ws?%74oken=abc', '/ws?%74oken=…'],
  ['/ws?token=a=b', '/ws?token=…'],
  ['/ws?token=a&token=b', '/ws?token=…&token=…'],
  ['/audio/a.wav?expires=1&signature=abc', '/audio/a.wav?expires=1&signature=…'],
  ['/api/v1/keys/vc_sk_live_Ab1?x=stt_sk_live_2', '/api/v1/keys/…?x=…'],
  ['/plain', '/plain'],
  ['/ws?', '/ws?'],
  ['/ws?token', '/ws?token'],
  ['/ws?tokens=2&%zz=1', '/ws?tokens=2&%zz=1'],
])('%s is logged as %s', (target, logged) => {
  expect(loggedUrl(target)).toBe(logged)
})
