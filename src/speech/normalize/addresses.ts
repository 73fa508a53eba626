import { type Lexicon, type Rule, rule } from './lexicon.ts'

/**
 * Names of hosts without a scheme. Lower-case endings only: "home.It" is two sentences without a space. Names of one letter
 * only where they can't be an abbreviation.
 */
const DOMAIN =
  '(?:[\\w-]{1,63}\\.){0,3}(?:[A-Za-z\\d-]{2,63}\\.(?:com|org|net|io|ai|dev|app|gov|edu|info|tv|co|uk|de|fr|es|it|pt|br|mx|ar' +
  '|in|eu|us|ca|ch|at|be|nl|jp|me)|[a-z]\\.(?:com|ai|co))'

/** Web and mail addresses as they are dictated. What follows a `?` or `#` in one is for machines and isn't read. */
export function addressRules(lexicon: Lexicon): readonly Rule[] {
  const say = (address = '') => sayAddress(address, lexicon)
  return [
    rule(/\bhttps?:\/\/([^\s<>“”"(),;]+[^\s<>“”"(),;.!?…:'])/giu, say),
    rule(/(?<![\p{L}\p{N}_.+-])([\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4})/giu, say),
    rule(new RegExp(`(?<![\\w.@-])(${DOMAIN}(?:/[^\\s“”"(),;]*[\\w/])?)(?![\\w@-])`, 'g'), say),
  ]
}

function sayAddress(address: string, { address: signs }: Lexicon): string {
  const path = address.replace(/[?#].*$/, '').replace(/\/+$/, '')
  return path
    .replace(/[./\-_@:~+%]/g, (sign) => {
      const name = Object.entries(signs).find(([written]) => written === sign)?.[1]
      return ` ${name} `
    })
    .replace(/(?<=\s)[a-z]{2}$/, (country) => country.toUpperCase())
    .replace(/ {2,}/g, ' ')
    .trim()
}
