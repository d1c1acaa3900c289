/** A word in -ise or -ize, -our or -or, with its endings cut off, and how often it is written. */
export interface RegionalWord {
  readonly stem: string
  /** One of is, iz, our and or; others are left out. */
  readonly ending: string
  readonly uses: number
  /** Those of `uses` that are in English texts. */
  readonly englishUses: number
}

/**
 * Chooses between -ise and -ize, and between -our and -or, by the majority of all words that can have both. On a tie it takes
 * the American ending.
 *
 * @example
 *   const word = { stem: 'initial', uses: 2, englishUses: 2 }
 *   chooseEndings([{ ...word, ending: 'is' }]) // Set { 'is', 'or' }
 */
export function chooseEndings(words: readonly RegionalWord[]): ReadonlySet<string> {
  const written = new Set(words.map(({ stem, ending }) => `${stem} ${ending}`))
  const chosen = PAIRS.map(([british, american, canHaveBoth]) => {
    let balance = 0
    for (const { stem, ending, uses, englishUses } of words) {
      if (ending !== british && ending !== american) continue
      const hasBoth = written.has(`${stem} ${british}`) && written.has(`${stem} ${american}`)
      const votes = hasBoth ? uses : canHaveBoth(stem) ? englishUses : 0
      balance += ending === british ? votes : -votes
    }
    return balance > 0 ? british : american
  })
  return new Set(chosen)
}

/** The words of advise, surprise, exercise and others, which have -ise everywhere. */
const ALWAYS_IS =
  /(?:[aou]|w|v|pr|rc|(?:con|pre|circum)c|chast|advert|expert|dem|desp|franch|merchand|parad|pr[eo]m|surm|treat)$/
/** The words of size, which have -ize everywhere. */
const ALWAYS_IZ = /^(?:cap|over|under|out|down|full|mid)s$/
/** The words that have -our in British English; error and editor are none. */
const ALSO_OUR =
  /^(?:un|dis|mis|en|be)?(?:arb|arm|behavi|cand|clam|col|demean|endeav|fav|ferv|flav|glam|harb|hon|hum|lab|neighb|parl|ranc|rig|rum|sav|savi|splend|tum|val|vap|vig)$/

const PAIRS: readonly (readonly [
  british: string,
  american: string,
  canHaveBoth: (stem: string) => boolean,
])[] = [
  ['is', 'iz', (stem) => !ALWAYS_IS.test(stem) && !ALWAYS_IZ.test(stem)],
  ['our', 'or', (stem) => ALSO_OUR.test(stem)],
]
