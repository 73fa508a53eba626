import { describe, expect, test } from 'vitest'
import { cleanText } from '../../../src/speech/normalize/clean.ts'
import { normalizeSentence } from '../../../src/speech/normalize/normalize.ts'
import type { Pronunciation } from '../../../src/speech/task-protocol.ts'

/** Tests that each text is handed to eSpeak as the one beside it. Figures that eSpeak reads right stay figures. */
export function reads(
  language: string,
  pronunciation: Pronunciation,
  rows: readonly (readonly [written: string, said: string])[],
): void {
  describe(language, () => {
    test.each(rows)('%s is read as %s', (written, said) => {
      expect(normalizeSentence(cleanText(written), pronunciation)).toBe(said)
    })
  })
}
