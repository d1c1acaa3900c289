const MAX_KEY_LENGTH = 600

/** Text that both databases can hold: what is no Unicode, and U+0000, which Postgres refuses, becomes U+FFFD. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

/**
 * A title as lists sort it and searches compare it: NFKC, lower case, both forms of the small sigma alike.
 *
 * What a database cannot hold or compare (U+0000, U+FFFE, U+FFFF, lone surrogates) becomes U+FFFD.
 */
export function deriveTitleKey(title: string): string {
  return title
    .toWellFormed()
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .replaceAll('ς', 'σ')
    .replace(/[\0\uFFFE\uFFFF]/g, '\uFFFD')
}

/**
 * The key of a title as it is stored: its first 600 characters, as Postgres indexes no more than 2,700 bytes.
 * A title has at most 300, and only a few rare characters become several under NFKC.
 */
export function deriveStoredTitleKey(title: string): string {
  const key = deriveTitleKey(title)
  return key.length <= MAX_KEY_LENGTH ? key : Array.from(key).slice(0, MAX_KEY_LENGTH).join('')
}

/** The words of a title key, each once. */
export function splitWords(titleKey: string): string[] {
  return [...new Set(titleKey.split(/\s+/u).filter((word) => word !== ''))]
}

/** Every single character and every pair of neighbours inside words: what trigrams cannot find. */
export function listShortGrams(titleKey: string): string[] {
  const grams = new Set<string>()
  for (const word of splitWords(titleKey)) {
    let previous = ''
    for (const character of word) {
      grams.add(character)
      if (previous !== '') grams.add(previous + character)
      previous = character
    }
  }
  return [...grams]
}

/** Words that trigrams find, and words that are short grams themselves. */
export function groupWords(words: readonly string[]): { readonly long: string[]; readonly short: string[] } {
  const isShort = (word: string): boolean => word.length <= 4 && Array.from(word).length <= 2
  return { long: words.filter((word) => !isShort(word)), short: words.filter(isShort) }
}
