/** Three sentences, about twenty seconds of speech. */
export const SENTENCES = [
  'She opened the old wooden door slowly, and a warm golden light spilled out across the stones of the quiet garden path.',
  'Beyond it, the river moved under a thin layer of mist, and somewhere in the distance a church bell was ringing for the evening hour.',
  'Nobody had walked this way for many years, so the grass had grown tall between the old apple trees near the wall.',
]

export const PARAGRAPH = SENTENCES.join(' ')

/** As many characters of the paragraph, over and over. */
export function textOfLength(characters: number): string {
  return `${PARAGRAPH} `.repeat(Math.ceil(characters / PARAGRAPH.length)).slice(0, characters)
}
