import { type AddressWords, type Rule, rule } from './lexicon.ts'

/**
 * Names of hosts without a scheme. Lower-case endings only: "home.It" is two sentences without a space. Names of one letter
 * only where they can't be an abbreviation.
 */
const DOMAIN =
  '(?:[\\w-]{1,63}\\.){0,3}(?:[A-Za-z\\d-]{2,63}\\.(?:com|org|net|io|ai|dev|app|gov|edu|info|tv|co|uk|de|fr|es|it|pt|br|mx|ar' +
  '|in|eu|us|ca|ch|at|be|nl|jp|me|ru|pl|ua|tr|id)|[a-z]\\.(?:com|ai|co))'

const EXTENSIONS =
  'pdf|docx?|xlsx?|pptx?|odt|rtf|txt|csv|tsv|json|jsonl|xml|ya?ml|toml|ini|log|md|html?|css|[cm]?[jt]sx?|vue|py|rb|rs|go|java' +
  '|cpp|hpp|php|sql|sh|bat|exe|dll|dmg|iso|apk|zip|gz|tar|rar|7z|jpe?g|png|gif|svg|webp|heic|bmp|tiff?|psd|mp[34]|m4a|wav|ogg' +
  '|flac|aac|avi|mov|mkv|webm|srt|ttf|onnx|env|lock|cfg|conf'

/**
 * Web and mail addresses, file names, tags and names of accounts as they are dictated. What follows a `?` or `#` in an
 * address is for machines and isn't read. Needs nothing of a language but its words for the signs.
 */
export function addressRules(words: AddressWords): readonly Rule[] {
  const say = (address = '') => sayAddress(address, words)
  return [
    rule(/\b(?:https?|ftp):\/\/([^\s<>“”"(),;]+[^\s<>“”"(),;.!?…:'])/giu, say),
    rule(/(?<![\p{L}\p{N}_.+-])(?:mailto:)?([\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4})/giu, say),
    rule(new RegExp(`(?<![\\w.@-])(${DOMAIN}(?:/[^\\s“”"(),;]*[\\w/])?)(?![\\w@-])`, 'g'), say),
    rule(
      new RegExp(
        `(?<![\\p{L}\\p{N}_@])([\\p{L}\\p{N}_][\\p{L}\\p{N}_.-]{0,62})\\.(${EXTENSIONS})(?![\\p{L}\\p{N}_])`,
        'gu',
      ),
      (name = '', extension = '') => `${say(name)} ${words.address['.']} ${extension.toUpperCase()}`,
    ),
    rule(/#(\p{L}[\p{L}\p{M}\p{N}_]*)/gu, (tag = '') => `${words.hashtag} ${apart(tag)}`),
    rule(/(?<![\p{L}\p{N}_])@([\p{L}\p{N}][\p{L}\p{N}_]*)/gu, (name = '') => `${words.address['@']} ${apart(name)}`),
  ]
}

function sayAddress(address: string, { address: signs }: AddressWords): string {
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

/** Words written together: "OpenSource_2024" is "Open Source 2024". */
function apart(name: string): string {
  return name
    .replace(/_+/g, ' ')
    .replace(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{Lu})/gu, ' ')
    .trim()
}
