import { Gap, type Words } from '../document/scan-inlines.ts'

export interface SpelledText {
  readonly words: Words
  /** Words of its code, in lower case. */
  readonly names: ReadonlySet<string>
}

export interface Spelling {
  /** As it is most often written. */
  readonly written: string
  readonly uses: readonly WordUse[]
}

/** A word of one of several texts, by index. */
export interface WordUse {
  readonly text: number
  readonly word: number
}

export interface SpellingGroup {
  /** At least two, the most frequent first. */
  readonly spellings: readonly Spelling[]
  readonly advised: Spelling
}

/** Finds words that are spelled in several ways across texts, in two passes over their words. */
export function findSpellings(texts: readonly SpelledText[]): SpellingGroup[] {
  const table: Table = new Map()
  texts.forEach(({ words }, text) => addWords(table, words, text))
  texts.forEach(({ words }, text) => addPairs(table, words, text))
  const isName = (word: string): boolean => texts.some(({ names }) => names.has(word))
  const endings = chooseEndings(listRegionalWords(table, texts))
  return [...table].flatMap(([key, patterns]) => {
    if (patterns.size < 2) return []
    if (key.startsWith('join ')) return isCapitalized(table, patterns) ? [] : groupCompound(patterns, isName)
    const spellings = rank(patterns.values())
    if (key.startsWith('case ')) return groupName(spellings)
    const decided = [...patterns].find(([pattern]) => endings.has(pattern))?.[1]
    const advised = spellings.find(({ uses }) => uses === decided?.uses) ?? spellings[0]!
    return [{ spellings, advised }]
  })
}

/** For each key the uses of each spelling, by what tells it from the others. */
type Table = Map<string, Map<string, Uses>>

interface Uses {
  readonly uses: WordUse[]
  /** How often each form is written, such as singular and plural. */
  readonly forms: Map<string, number>
}

function addWords(table: Table, { texts }: Words, text: number): void {
  texts.forEach((written, word) => {
    for (const { key, pattern } of spellingKeys(written)) add(table, key, pattern, written, { text, word })
  })
}

/** Adds two words as a spelling of the compound that is also written as one word. */
function addPairs(table: Table, { texts, gaps }: Words, text: number): void {
  for (let word = 1; word < texts.length; word++) {
    if (gaps[word] !== Gap.space) continue
    const second = texts[word]!
    const first = gaps[word - 1] === Gap.sentence ? texts[word - 1]!.toLowerCase() : texts[word - 1]!
    if (first.length < 3 || second.length < 3 || isPhrasalVerb(first, second)) continue
    const key = readCompound(first + second)
    if (key !== undefined && table.has(key))
      add(table, key, 'open', `${first} ${second}`, { text, word: word - 1 })
  }
}

function add(table: Table, key: string, pattern: string, written: string, use: WordUse): void {
  let spellings = table.get(key)
  if (spellings === undefined) table.set(key, (spellings = new Map<string, Uses>()))
  let known = spellings.get(pattern)
  if (known === undefined) spellings.set(pattern, (known = { uses: [], forms: new Map() }))
  known.uses.push(use)
  known.forms.set(written, (known.forms.get(written) ?? 0) + 1)
}

function listRegionalWords(table: Table, texts: readonly SpelledText[]): RegionalWord[] {
  const english = texts.map(({ words }) => isEnglish(words))
  return [...table].flatMap(([key, patterns]) => {
    if (!key.startsWith('region ')) return []
    const stem = key.split(' ')[1]!
    return [...patterns].map(([ending, { uses }]) => ({
      stem,
      ending,
      uses: uses.length,
      englishUses: uses.filter(({ text }) => english[text]).length,
    }))
  })
}

/** Whether a text seems English: French and German have -is in words such as organisation too. */
function isEnglish({ texts }: Words): boolean {
  return texts.filter((word) => word === 'the' || word === 'of' || word === 'to').length > texts.length / 50
}

/**
 * A word is a name if it is written with capitals inside. Its known spelling is preferred, then the
 * most frequent one. The name in lower case may be a command.
 */
function groupName(spellings: readonly Spelling[]): SpellingGroup[] {
  const withCapitals = spellings.find(({ written }) => hasInnerCapitals(written))
  if (withCapitals === undefined) return []
  const advised =
    spellings.find(({ written }) => isKnownName(written)) ??
    spellings.find(
      ({ written, uses }) => written !== written.toLowerCase() && uses.length > withCapitals.uses.length,
    ) ??
    withCapitals
  const compared = spellings.filter(
    ({ written, uses }) =>
      written === advised.written ||
      (written.slice(1) !== advised.written.slice(1) &&
        (written !== written.toLowerCase() ||
          (uses.length < advised.uses.length && !isAcronym(advised.written)))),
  )
  return compared.length < 2 ? [] : [{ spellings: compared, advised }]
}

function hasInnerCapitals(word: string): boolean {
  return /\p{Ll}\p{Lu}|^\p{Lu}+$/u.test(word)
}

function isAcronym(word: string): boolean {
  return /^\p{Lu}{2,}s?$/u.test(word)
}

/**
 * Whether a compound is written with capitals inside as often (HugePages): these are compared as
 * names.
 */
function isCapitalized(table: Table, patterns: ReadonlyMap<string, Uses>): boolean {
  const closed = patterns.get('closed')
  if (closed === undefined) return false
  const words = new Set([...closed.forms.keys()].map((form) => form.toLowerCase()))
  let uses = 0
  for (const word of words)
    for (const [written, { uses: found }] of table.get(`case ${word}`) ?? [])
      if (hasInnerCapitals(written)) uses += found.length
  return uses >= closed.uses.length
}

/**
 * A hyphen beside two words is not an error: many compounds have it only before a noun. A word that
 * is rarer than the others and occurs in code is a name.
 */
function groupCompound(patterns: Map<string, Uses>, isName: (word: string) => boolean): SpellingGroup[] {
  const closed = patterns.get('closed')
  if (closed === undefined) return []
  const kept = new Map(patterns)
  const open = patterns.get('open')
  if (open !== undefined && (!sharesForm(open, closed) || isChance(open, closed))) kept.delete('open')
  if (kept.has('open') && open!.uses.length > closed.uses.length) kept.delete('hyphen')
  if (kept.size < 2) return []
  const spellings = rank(kept.values())
  const [advised] = spellings
  if (
    advised!.written !== mostFrequent(closed) &&
    [...closed.forms.keys()].some((form) => isName(form.toLowerCase()))
  )
    return []
  return [{ spellings, advised: advised! }]
}

/**
 * Whether two words may follow each other by chance (the key word in this). They are a compound if
 * they do so twice, or in a text that writes them as one word at least twice.
 */
function isChance({ uses: [first, second] }: Uses, { uses }: Uses): boolean {
  return second === undefined && uses.filter(({ text }) => text === first!.text).length < 2
}

function sharesForm(open: Uses, closed: Uses): boolean {
  const forms = new Set([...closed.forms.keys()].map((form) => form.toLowerCase()))
  return [...open.forms.keys()].some((form) => forms.has(form.replace(' ', '')))
}

function rank(patterns: Iterable<Uses>): Spelling[] {
  return [...patterns]
    .map((uses) => ({ written: mostFrequent(uses), uses: uses.uses }))
    .toSorted((a, b) => b.uses.length - a.uses.length || a.written.length - b.written.length)
}

function mostFrequent({ forms }: Uses): string {
  let best = ''
  for (const [form, count] of forms) if (count > (forms.get(best) ?? 0)) best = form
  return best
}

/** A word in -ise or -ize, -our or -or, with its endings cut off, and how often it is written. */
interface RegionalWord {
  readonly stem: string
  /** One of is, iz, our and or; others are skipped. */
  readonly ending: string
  readonly uses: number
  /** Those of `uses` that are in English texts. */
  readonly englishUses: number
}

/**
 * Chooses between -ise and -ize, and between -our and -or, by the majority of all words that can
 * have both. On a tie it takes the American ending.
 *
 * @example
 *   const word = { stem: 'initial', uses: 2, englishUses: 2 }
 *   chooseEndings([{ ...word, ending: 'is' }]) // Set { 'is', 'or' }
 */
function chooseEndings(words: readonly RegionalWord[]): ReadonlySet<string> {
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

/** A key that all spellings of a word share, and what tells this spelling from the others. */
interface SpellingKey {
  readonly key: string
  readonly pattern: string
}

/** Returns the keys under which a word meets its other spellings; most words have one. */
function spellingKeys(word: string): SpellingKey[] {
  if (KATAKANA.test(word)) return readKatakana(word)
  if (!LATIN.test(word)) return []
  const keys: SpellingKey[] = []
  const lower = word.toLowerCase()
  const hasHyphen = /[-‑]/.test(word)
  const compound = CASED_PARTS.test(word) ? readCompound(lower.replaceAll(/[-‑]/g, '')) : undefined
  if (compound !== undefined) keys.push({ key: compound, pattern: hasHyphen ? 'hyphen' : 'closed' })
  if (!hasHyphen && isCased(word, lower)) keys.push({ key: `case ${lower}`, pattern: word })
  const region = readRegion(lower)
  if (region !== undefined) keys.push(region)
  return keys
}

/**
 * Key of a word without its hyphens and spaces, in lower case; undefined for words that are never
 * compounds.
 */
function readCompound(joined: string): string | undefined {
  const stem = joined.replace(/s$/, '')
  return stem.length < 5 || !/^\p{Ll}+$/u.test(stem) || DIFFERENT_JOINED.has(stem.replace(/(?:ed|ing)$/, ''))
    ? undefined
    : `join ${stem}`
}

/**
 * Whether the case of a word may distinguish it from another spelling: names with capitals inside,
 * and acronyms.
 */
function isCased(word: string, lower: string): boolean {
  if (ACRONYMS.has(lower)) return word !== lower
  if (lower.length < 4 || word === word.toUpperCase()) return false
  // An identifier begins in lower case; few names do.
  return !/^\p{Ll}.*\p{Lu}/u.test(word) || NAMES_IN_LOWER_CASE.has(lower)
}

/** Whether a word is a well-known name or acronym, in the spelling of its owner. */
function isKnownName(word: string): boolean {
  return KNOWN_NAMES.has(word) || (/^\p{Lu}+s?$/u.test(word) && ACRONYMS.has(word.toLowerCase()))
}

const KNOWN_NAMES: ReadonlySet<string> = new Set(
  (
    'macOS iPadOS tvOS watchOS iPhone iPad eBay gRPC GitHub GitLab JavaScript TypeScript CoffeeScript PostgreSQL MySQL SQLite ' +
    'MariaDB MongoDB DynamoDB GraphQL OpenAPI OpenSSL WebSocket WebSockets WebAssembly WebGL WebRTC WordPress YouTube ' +
    'LinkedIn PayPal IntelliJ FreeBSD OpenBSD LaTeX'
  ).split(' '),
)
const NAMES_IN_LOWER_CASE: ReadonlySet<string> = new Set(
  [...KNOWN_NAMES].filter((name) => /^\p{Ll}/u.test(name)).map((name) => name.toLowerCase()),
)

/** Parts in lower case or with a first capital. Others are identifiers and acronyms. */
const CASED_PARTS = /^\p{Lu}?\p{Ll}*(?:[-‑]\p{Lu}?\p{Ll}+)*$/u
const LATIN = /^[\p{scx=Latin}\p{N}'’\-‑]+$/u
const KATAKANA = /^[\p{sc=Katakana}ー]+$/u

/** A long vowel at the end of a word is written or skipped. */
function readKatakana(word: string): SpellingKey[] {
  const stem = word.replace(/(?<!ー)ー+$/, '')
  return stem.length < 3 ? [] : [{ key: `kana ${stem}`, pattern: stem === word ? 'short' : 'long' }]
}

/** Groups British and American spellings; both must occur, so that no list of words is needed. */
function readRegion(lower: string): SpellingKey | undefined {
  for (const [ending, british, american] of REGIONS) {
    const found = ending.exec(lower)
    if (found === null) continue
    const [, stem, written, rest] = found
    if (written !== british && written !== american) continue
    return { key: `region ${stem} ${american} ${rest ?? ''}`, pattern: written }
  }
  return undefined
}

const REGIONS: readonly (readonly [RegExp, string, string])[] = [
  [/^(\p{L}{3,})(our|or)(s|ed|ing|al|ally|able|ite|ites|ful|less|er|ers)?$/u, 'our', 'or'],
  [/^(\p{L}{4,})(is|iz)(e|es|ed|ing|er|ers|ation|ations|able)$/u, 'is', 'iz'],
  [/^(\p{L}{4,})(ys|yz)(e|es|ed|ing|er|ers)$/u, 'ys', 'yz'],
  [/^(cent|met|lit|theat|fib|calib)(re|er)(s|d)?$/u, 're', 'er'],
  [
    /^(cance|labe|trave|mode|signa|leve|channe|tota|initia|tunne|marsha|fue|pane)(ll|l)(ed|ing|er|ers)$/u,
    'll',
    'l',
  ],
  [/^(catal|dial|anal)(ogue|og)(s)?$/u, 'ogue', 'og'],
  [/^(gr)(ey|ay)(s|ed|ing|scale)?$/u, 'ey', 'ay'],
]

const ACRONYMS: ReadonlySet<string> = new Set(
  'api apis url urls uri html css xml json yaml toml csv sql http https tcp udp dns ssh tls ssl jwt cli sdk ide gui cpu gpu ram ssd vpn xss csrf cors jsx dom uuid regex utf'.split(
    ' ',
  ),
)

/** Words that are others when they are joined: to re-sign is not to resign. */
const DIFFERENT_JOINED: ReadonlySet<string> = new Set(
  'resign recover recreation reform resent resort resound restrain retreat return coop reserve represent relay remark'.split(
    ' ',
  ),
)

/**
 * Whether two words are a verb with its particle (to log in), or a word with a function word, so
 * that joining them changes their role.
 */
function isPhrasalVerb(first: string, second: string): boolean {
  return SECOND.has(second) || FIRST.has(first)
}

const SECOND: ReadonlySet<string> = new Set(
  'from for and the that are use less more full able out off down over back away around through along together ahead under again apart forth aside across after into onto upon with per one ones body thing things where times'.split(
    ' ',
  ),
)
const FIRST: ReadonlySet<string> = new Set(
  (
    'any some every all the may can not never more most much very too how what which who when where there here then than with out over under ' +
    'off into onto out for and but that this one two three non new old max min last first next same other only der die das den dem des ein eine zur zum bei mit auf aus nach vor wenn sur par ' +
    'bien plus puis quelque tout por sobre con sin tan tal para que'
  ).split(' '),
)
