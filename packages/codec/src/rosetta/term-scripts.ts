/** Scripts that write words without spaces, so that their letters are outside W. */
export type TermScript = 'Han' | 'Kana' | 'Hangul' | 'Thai'

const SCRIPTS: readonly TermScript[] = ['Han', 'Kana', 'Hangul', 'Thai']

/** The script of one letter by its Script_Extensions; Hiragana and Katakana are one script. */
export function scriptOf(term: string): TermScript | undefined {
  const codePoint = term.codePointAt(0) ?? 0
  return term === String.fromCodePoint(codePoint) ? SCRIPTS[kindOf(codePoint) - FIRST_SCRIPT] : undefined
}

/** A script with so many letters, or such a share of them, belongs to the sources. */
const OWN_LETTERS = 50
const OWN_PERCENT = 1

/**
 * Finds the scripts that belong to sources and so supply no terms (SPEC.md §8.6, T8): those with 50
 * letters or 1 % of all letters, counted over all texts together. A letter has General_Category L.
 */
export function findOwnScripts(texts: Iterable<string>): ReadonlySet<TermScript> {
  const counts = new Float64Array(FIRST_SCRIPT + SCRIPTS.length)
  for (const text of texts) {
    for (let at = 0; at < text.length; at++) {
      const codePoint = text.codePointAt(at)!
      if (codePoint > 0xffff) at++
      counts[kindOf(codePoint)]!++
    }
  }
  const letters = counts.subarray(LETTER).reduce((sum, count) => sum + count, 0)
  return new Set(
    SCRIPTS.filter((_, script) => {
      const count = counts[FIRST_SCRIPT + script]!
      return count >= OWN_LETTERS || (count > 0 && 100 * count >= OWN_PERCENT * letters)
    }),
  )
}

/** No letter, a letter that cannot be a term, and then a kind for each script. */
const OTHER = 1
const LETTER = 2
const FIRST_SCRIPT = 3

const kinds: Uint8Array = /* @__PURE__ */ new Uint8Array(0x110000)

// Later versions of Script_Extensions add Thai to U+02BC, which is in W (SPEC.md §4.2).
const SCRIPT = /(\p{scx=Han})|([\p{scx=Hira}\p{scx=Kana}])|(\p{scx=Hang})|(?!\u02bc)(\p{scx=Thai})/u

function kindOf(codePoint: number): number {
  return kinds[codePoint] || (kinds[codePoint] = findKind(String.fromCodePoint(codePoint)))
}

function findKind(character: string): number {
  if (!/\p{L}/u.test(character)) return OTHER
  const groups = SCRIPT.exec(character)?.slice(1) ?? []
  const script = groups.findIndex((group) => group !== undefined)
  return script < 0 ? LETTER : FIRST_SCRIPT + script
}
