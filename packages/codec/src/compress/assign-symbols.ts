import type { TermSymbol } from './list-symbols.ts'

/** How a phrase is used: times, and times in places where some symbols save a token by merging with their neighbour. */
export interface PhraseUse {
  readonly phrase: number
  readonly uses: number
  /** Behind a space that stays. */
  readonly spaces: number
  /** Before the end of a line, and before an empty line. */
  readonly lineEnds: number
  readonly paragraphEnds: number
}

/**
 * Gives each phrase a symbol so that many merges save a token; of equal ones the most used phrase gets the most readable
 * symbol. A phrase is left out where no symbol is left.
 *
 * Symbols that merge with more than a space are few: they go to the phrases that gain most over a plain one, greedily.
 *
 * @param free Symbols to give, the most readable first.
 */
export function assignSymbols(
  phrases: readonly PhraseUse[],
  free: readonly TermSymbol[],
): Map<number, string> {
  const terms = new Map<number, string>()
  const classes = Map.groupBy(free, traitsOf)
  const claims: { use: PhraseUse; traits: string; gain: number }[] = []
  for (const use of phrases) {
    for (const [traits, symbols] of classes) {
      const gain = countMerges(use, symbols[0]!) - use.spaces
      if (gain > 0) claims.push({ use, traits, gain })
    }
  }
  claims.sort((a, b) => b.gain - a.gain || a.traits.length - b.traits.length || a.use.phrase - b.use.phrase)
  for (const { use, traits } of claims) {
    const symbol = terms.has(use.phrase) ? undefined : classes.get(traits)!.shift()
    if (symbol) terms.set(use.phrase, symbol.term)
  }
  givePlain(
    phrases.filter(({ phrase }) => !terms.has(phrase)),
    free.filter((symbol) => classes.get(traitsOf(symbol))!.includes(symbol)),
    terms,
  )
  return terms
}

/** Gives symbols that take a space to the phrases most often behind one. */
function givePlain(
  phrases: readonly PhraseUse[],
  free: readonly TermSymbol[],
  terms: Map<number, string>,
): void {
  const takers = free.filter((symbol) => symbol.takesSpace)
  const order = phrases.toSorted((a, b) => b.spaces - a.spaces || byUses(a, b))
  const needy = order.filter((use, place) => use.spaces > 0 && place < takers.length).toSorted(byUses)
  for (const [place, { phrase }] of needy.entries()) terms.set(phrase, takers[place]!.term)
  const left = [...free.filter((symbol) => !symbol.takesSpace), ...takers.slice(needy.length)]
  const rest = phrases.filter(({ phrase }) => !terms.has(phrase)).toSorted(byUses)
  for (const [place, { phrase }] of rest.entries()) if (left[place]) terms.set(phrase, left[place].term)
}

function byUses(a: PhraseUse, b: PhraseUse): number {
  return b.uses - a.uses || a.phrase - b.phrase
}

function countMerges(use: PhraseUse, symbol: TermSymbol): number {
  return (
    (symbol.takesSpace ? use.spaces : 0) +
    (symbol.takesLineEnd ? use.lineEnds : 0) +
    (symbol.takesParagraphEnd ? use.paragraphEnds : 0) +
    (symbol.isCheap ? 1 : 0)
  )
}

function traitsOf({ takesSpace, takesLineEnd, takesParagraphEnd, isCheap }: TermSymbol): string {
  return [takesSpace && 's', takesLineEnd && 'l', takesParagraphEnd && 'p', isCheap && 'c']
    .filter(Boolean)
    .join('')
}
