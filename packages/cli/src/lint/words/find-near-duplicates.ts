import { Gap, type Words } from '../document/scan-inlines.ts'

/** Where a phrase stands: the words `[from, to)`. */
export interface Occurrence {
  readonly from: number
  readonly to: number
  /** How it is written there, in lower case. */
  readonly written: string
}

/** Phrases that differ only in words that can be exchanged. */
export interface NearDuplicate {
  /** The ways to write it, the most frequent first. */
  readonly forms: readonly Form[]
}

export interface Form {
  readonly written: string
  readonly occurrences: readonly Occurrence[]
}

const LONGEST = 8
const SHORTEST = 3
/** Words that both phrases have in common. */
const LEAST_COMMON = 3
/** Phrases below it hardly ever save two tokens. */
const LEAST_ESTIMATE = 6

/**
 * Finds phrases of a text that differ only in interchangeable words, the most promising first.
 *
 * Words are replaced by their group, and phrases of three to eight units are indexed by the result,
 * so that phrases that differ in such words share one entry. Each unit is in at most 33 phrases, so
 * the time is linear.
 */
export function findNearDuplicates(words: Words): NearDuplicate[] {
  const units = readUnits(words)
  const index = new Map<string, Occurrence[]>()
  for (let start = 0; start < units.length; start++) indexPhrases(units, start, index)
  const found = [...index.values()].flatMap((occurrences) => group(occurrences))
  return chooseApart(found.toSorted((a, b) => b.estimate - a.estimate))
}

/** A word, or a variant of a group. */
interface Unit {
  /** Equal for all variants of a group. */
  readonly key: string
  readonly written: string
  readonly from: number
  readonly to: number
  readonly isVariant: boolean
  /** Whether no phrase extends from the unit before to this one. */
  readonly isApart: boolean
}

/** Reads the units, and treats groups of which only one variant occurs as plain words. */
function readUnits({ texts, gaps }: Words): Unit[] {
  const units: Unit[] = []
  const writtenAs = new Map<string, Set<string>>()
  const lower = texts.map((text) => text.toLowerCase().replaceAll('’', "'"))
  for (let at = 0; at < lower.length;) {
    const variant = variantsByWord
      .get(lower[at]!)
      ?.find(({ words }) =>
        words.every(
          (word, more) => lower[at + more] === word && (more === 0 || gaps[at + more] === Gap.space),
        ),
      )
    const length = variant?.words.length ?? 1
    const written = variant?.words.join(' ') ?? lower[at]!
    const key = variant === undefined ? written : `#${variant.group}`
    if (variant !== undefined) writtenAs.set(key, (writtenAs.get(key) ?? new Set()).add(written))
    units.push({
      key,
      written,
      from: at,
      to: at + length,
      isVariant: variant !== undefined,
      isApart: gaps[at] !== Gap.space,
    })
    at += length
  }
  return units.map((unit) => ({ ...unit, isVariant: unit.isVariant && writtenAs.get(unit.key)!.size > 1 }))
}

function indexPhrases(units: readonly Unit[], start: number, index: Map<string, Occurrence[]>): void {
  let key = ''
  let written = ''
  let common = 0
  let variants = 0
  for (let end = start; end < units.length && end - start < LONGEST; end++) {
    const unit = units[end]!
    if (end > start && unit.isApart) return
    key += `${unit.key} `
    written += `${unit.written} `
    if (unit.isVariant) variants++
    else common += unit.to - unit.from
    if (variants === 0 || end - start + 1 < SHORTEST || common < LEAST_COMMON) continue
    const occurrences = index.get(key) ?? []
    occurrences.push({ from: units[start]!.from, to: unit.to, written: written.trimEnd() })
    if (occurrences.length === 1) index.set(key, occurrences)
  }
}

interface Ranked extends NearDuplicate {
  /**
   * Words that readers save where a rarer form is replaced; decides only which candidates are
   * measured.
   */
  readonly estimate: number
}

function group(occurrences: readonly Occurrence[]): Ranked[] {
  if (occurrences.length < 2) return []
  const byForm = Map.groupBy(withoutOverlaps(occurrences), ({ written }) => written)
  if (byForm.size < 2) return []
  const forms = [...byForm]
    .map(([written, places]) => ({ written, occurrences: places }))
    .toSorted((a, b) => b.occurrences.length - a.occurrences.length || a.written.length - b.written.length)
  const rarer = forms.slice(1).reduce((sum, form) => sum + form.occurrences.length, 0)
  const length = occurrences[0]!.to - occurrences[0]!.from
  const estimate = rarer * (length - 1) + forms[0]!.occurrences.length
  return estimate < LEAST_ESTIMATE ? [] : [{ forms, estimate }]
}

function withoutOverlaps(occurrences: readonly Occurrence[]): Occurrence[] {
  let end = 0
  return occurrences.filter(({ from, to }) => {
    if (from < end) return false
    end = to
    return true
  })
}

/** Keeps the phrases none of whose words is in a better one. */
function chooseApart(ranked: readonly Ranked[]): NearDuplicate[] {
  const taken = new Set<number>()
  return ranked.filter(({ forms }) => {
    const places = forms.flatMap((form) => form.occurrences)
    if (places.some(({ from, to }) => taken.has(from) || taken.has(to - 1))) return false
    for (const { from, to } of places) for (let at = from; at < to; at++) taken.add(at)
    return true
  })
}

/**
 * Phrases that a manual can exchange without a change of meaning, one group per line. Words that
 * differ in strictness (must, should, can) never share a group.
 */
const GROUPS: readonly string[] = [
  // English
  'allowed|permitted',
  "cannot|can't|can not",
  "do not|don't",
  "does not|doesn't",
  "did not|didn't",
  "is not|isn't",
  "are not|aren't",
  "was not|wasn't",
  "were not|weren't",
  "has not|hasn't",
  "have not|haven't",
  "will not|won't",
  "would not|wouldn't",
  "should not|shouldn't",
  "could not|couldn't",
  "it is|it's",
  "that is|that's",
  "there is|there's",
  "you are|you're",
  "you will|you'll",
  "you have|you've",
  "we are|we're",
  "we will|we'll",
  "we have|we've",
  "they are|they're",
  "let us|let's",
  'for example|for instance',
  'use|utilize|utilise|make use of',
  'uses|utilizes|utilises|makes use of',
  'used|utilized|utilised',
  'using|utilizing|utilising|making use of',
  'because of|due to|owing to',
  'because|due to the fact that|owing to the fact that',
  'starts with|begins with',
  'start with|begin with',
  'starting with|beginning with',
  'click|click on',
  'clicks|clicks on',
  'clicking|clicking on',
  'ensure|ensure that|make sure|make sure that',
  'ensures|ensures that|makes sure|makes sure that',
  'note that|please note that|be aware that',
  'can|is able to|are able to',
  'have to|need to',
  'has to|needs to',
  'want to|wish to|would like to',
  'whether|whether or not',
  'before|prior to',
  'if you want to|if you wish to|if you would like to',
  'currently|at the moment|at this time|at present',
  'indicates whether|specifies whether|determines whether|controls whether|tells whether',
  'indicate whether|specify whether|determine whether|control whether|tell whether',
  'multiple|several',
  'in order to be able to|to be able to',
  'true if|true when',
  'false if|false when',
  'called|invoked',
  'calls|invokes',
  'calling|invoking',
  'create a|create a new',
  'creates a|creates a new',
  'creating a|creating a new',
  'folder|directory',
  'folders|directories',
  'log in|sign in',
  'log out|sign out',
  'enabled|turned on|switched on',
  'enable|turn on|switch on',
  'disabled|turned off|switched off',
  'disable|turn off|switch off',
  'shown|displayed|rendered',
  'shows|displays',
  'see|refer to|please refer to|please see|take a look at|have a look at',
  'for more information|for more details|for further information|for further details|for additional information|for more info',
  'instead of|rather than',
  'inside|within|inside of',
  'based on|based upon',
  'depending on|depending upon',
  'while|whilst',
  'among|amongst',
  'towards|toward',
  'in addition|additionally',
  'a number of|a series of',
  'many|a large number of|a lot of',
  'per default|by default',
  'the same as|identical to',
  'via|by means of',
  'must not be|may not be',
  // German
  'zum beispiel|beispielsweise',
  'erlaubt|gestattet|zulässig',
  'verwenden|benutzen|nutzen',
  'verwendet|benutzt|genutzt',
  'verwendung|benutzung|nutzung',
  'ordner|verzeichnis',
  'anschließend|danach',
  'angezeigt|dargestellt',
  'mithilfe|mit hilfe|mittels',
  'um sicherzustellen|um zu gewährleisten',
  'stellen sie sicher|vergewissern sie sich',
  'standardmäßig|per default',
  // French
  'par exemple|à titre d’exemple',
  'utiliser|employer',
  'utilisé|employé',
  'afin de|pour|dans le but de',
  'autorisé|permis',
  'dossier|répertoire',
  'assurez-vous que|veillez à ce que|vérifiez que',
  // Spanish and Portuguese
  'utilizar|usar|hacer uso de',
  'utiliza|usa',
  'utilizado|usado',
  'por ejemplo|a modo de ejemplo',
  'carpeta|directorio',
  'con el fin de|para|a fin de',
  'asegúrese de que|verifique que|compruebe que',
  'por exemplo|a título de exemplo',
  'pasta|diretório',
  'a fim de|com o objetivo de',
]

interface Variant {
  readonly group: number
  readonly words: readonly string[]
}

/** The variants by their first word, the longest first. */
const variantsByWord: ReadonlyMap<string, readonly Variant[]> = indexVariants()

function indexVariants(): Map<string, Variant[]> {
  const index = new Map<string, Variant[]>()
  GROUPS.forEach((line, group) => {
    for (const phrase of line.split('|')) {
      const words = phrase.replaceAll('’', "'").split(' ')
      const variants = index.get(words[0]!) ?? []
      variants.push({ group, words })
      index.set(words[0]!, variants)
    }
  })
  for (const variants of index.values()) variants.sort((a, b) => b.words.length - a.words.length)
  return index
}
