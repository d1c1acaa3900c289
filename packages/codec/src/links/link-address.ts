import { TEMPLATE } from '../minify/restore-text.ts'

/** Addresses by number: number n is entry n − 1 of a list, or the key n of an object. */
export type LinkTable = readonly string[] | Readonly<Record<string, string>>

/** Returns the address with a number, as digits; undefined if there is none. */
export function findAddress(links: LinkTable, digits: string): string | undefined {
  if (!Array.isArray(links))
    return Object.hasOwn(links, digits) ? (links as Record<string, string>)[digits] : undefined
  return /^[1-9]\d{0,6}$/.test(digits) ? (links[Number(digits) - 1] as string | undefined) : undefined
}

/** A plain address: no space, bracket, escape or sign that means something elsewhere. */
const PLAIN = /^(?:[^\s<>()\\|`\0-\x1f\x7f]|\([^\s<>()\\|`\0-\x1f\x7f]*\))+$/
const SPECIAL = /\\(?!\x60)[!-/:-@[-\x60{-~]|[\\<>|]|[\x60\0-\x1f\x7f\x85\u2028\u2029]/g

/**
 * Writes the address of a link for the place between its parentheses, in angle brackets unless that
 * needs none. It ends no link, line, cell or code span, whatever it contains. A template stays.
 */
export function writeAddress(address: string): string {
  const inner = stripBrackets(address)
  if (PLAIN.test(inner) || TEMPLATE.test(inner)) return inner
  const escaped = inner.replace(SPECIAL, (found) =>
    found.length > 1 ? found : '\\<>|'.includes(found) ? `\\${found}` : encodeURIComponent(found),
  )
  return `<${escaped}>`
}

/**
 * Whether a program may make a link of an address from a stranger: one of the web or of mail, or a
 * relative one. What comes before the first `/`, `?` or `#` must not hide a scheme.
 */
export function isSafeAddress(address: string): boolean {
  const [start = ''] = stripBrackets(address).split(/[/?#]/, 1)
  return /^(?:https?|mailto):/i.test(start) || !/[:&]/.test(start)
}

/** Completes a relative address, without a template, by the URL of its page; others stay. */
export function completeAddress(address: string, url: string | undefined): string {
  if (url === undefined || isAbsolute(address) || TEMPLATE.test(address)) return address
  const plain = stripBrackets(address)
    .replace(/\\([!-/:-@[-\x60{-~])/g, '$1')
    .replaceAll('&amp;', '&')
  return URL.canParse(plain, url) ? new URL(plain, url).href : address
}

export function isAbsolute(address: string): boolean {
  return /^<?[a-z][a-z\d+.-]*:/i.test(address)
}

function stripBrackets(address: string): string {
  return /^<[^]*>$/.test(address) ? address.slice(1, -1) : address
}
