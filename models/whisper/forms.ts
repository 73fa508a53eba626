import type { LinearForm } from './layers.ts'

/**
 * How a whole model is computed. `mixed`: 8 bits everywhere, by channels where there are many rows and the model bears it. `blocks`:
 * 8 bits by blocks everywhere, for processors whose products of signed and unsigned bytes can't be trusted. `float`: as the model is.
 */
export type WhisperForm = 'mixed' | 'blocks' | 'float'

/** The form of each linear layer, by its path. */
export function formOf(form: WhisperForm): (layer: string) => LinearForm {
  if (form !== 'mixed') return () => form
  return (layer) => (isMeasuredByChannels(layer) ? 'channels' : 'blocks')
}

/**
 * The second half of a feed-forward layer has outliers that spoil a scale for the whole output, and so have the keys and values for
 * the decoder. The decoder itself runs row by row, where blocks are faster too.
 */
function isMeasuredByChannels(layer: string): boolean {
  return layer.startsWith('encoder/') && !layer.endsWith('/ffn/linear_1')
}
