/** A key that all spellings of a word share, and what tells this spelling from the others. */
export interface SpellingKey {
  readonly key: string
  readonly pattern: string
}

/** Returns the keys under which a word meets its other spellings; most words have one. */
export function spellingKeys(word: string): SpellingKey[] {
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
export function readCompound(joined: string): string | undefined {
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
export function isKnownName(word: string): boolean {
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
export function isPhrasalVerb(first: string, second: string): boolean {
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
