/** Postgres indexes at most 2,700 bytes, and only few of 300 characters become several by NFKC. */
const MAX_KEY_LENGTH = 600

/** Replaces what a database cannot store by U+FFFD: lone surrogates and U+0000. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

/**
 * Derives the key to sort titles by: NFKC, lower case, both forms of the small sigma alike.
 *
 * What a database cannot store (U+0000, U+FFFE, U+FFFF, lone surrogates) becomes U+FFFD.
 */
export function deriveTitleKey(title: string): string {
  const key = title
    .toWellFormed()
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .replaceAll('ς', 'σ')
    .replace(/[\0\uFFFE\uFFFF]/g, '\uFFFD')
  return key.length <= MAX_KEY_LENGTH ? key : Array.from(key).slice(0, MAX_KEY_LENGTH).join('')
}
