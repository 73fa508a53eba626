/** Words as compared: lower case, without punctuation; apostrophes and hyphens join nothing. */
export function wordsOf(text: string): string[] {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/['’]/g, '')
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== '')
}

/** Substitutions, insertions and deletions that lead from one list of words to the other: Levenshtein's distance. */
export function wordErrors(expected: readonly string[], heard: readonly string[]): number {
  let row = Array.from({ length: heard.length + 1 }, (_, j) => j)
  expected.forEach((word, i) => {
    const next = [i + 1]
    heard.forEach((other, j) => {
      next.push(Math.min(row[j]! + (word === other ? 0 : 1), row[j + 1]! + 1, next[j]! + 1))
    })
    row = next
  })
  return row[heard.length]!
}
