import { SLUG_PATTERN, VERSION_PATTERN, fieldLimits } from './field-limits.ts'

export type VersionErrorCode =
  | 'invalid_name' // a name is not a slug, `slug@range`, id or `id@range`
  | 'invalid_range' // the part after `@` is not a version range
  | 'no_matching_version' // no version of the pack is in the range; yanked versions do not count

/** A name of a pack or a range of versions that cannot be read, or a range without a version. */
export class VersionError extends Error {
  override readonly name = 'VersionError'
  readonly code: VersionErrorCode
  readonly hint: string

  constructor(code: VersionErrorCode, message: string, hint: string) {
    super(message)
    this.code = code
    this.hint = hint
  }

  /** Creates the error for a range without a version. It names the newest that are not yanked. */
  static noMatch(pack: string, versions: readonly ChoosableVersion[], range = '*'): VersionError {
    const visible = versions.filter(({ yanked }) => !yanked).map(({ version }) => version)
    const newest = visible.toSorted(compareVersions).slice(-5).toReversed().join(', ') || 'none'
    const message = `No version of ${pack} is in the range ${range}; the newest: ${newest}`
    return new VersionError('no_matching_version', message, 'Choose a range with one of these versions.')
  }
}

/** A pack as programs name it: `slug`, `slug@range` or an id. */
export interface PackName {
  /** Slug, or id (`pk_…`). */
  readonly pack: string
  /** The range as written; undefined for the newest version. */
  readonly range: string | undefined
}

/** Tells whether versions are in a range. */
export interface VersionRange {
  /** The only version of the range, if it is one version. */
  readonly exact: string | undefined
  /** Tells whether a version, `major.minor.patch`, is in the range. */
  readonly contains: (version: string) => boolean
}

const ID_PATTERN = /^pk_[0-9a-hjkmnp-tv-z]{26}$/
const NAME_HINT = 'Write a slug such as tls-certificates, slug@range, or an id (pk_…).'
const RANGE_HINT = 'Write 1.2.3, ^1.2, ~1.2.3, 1.x, ">=1.2 <3", or nothing for the newest version.'
const MAX_RANGE = 100

/**
 * Splits `slug@range` into its parts.
 * @throws {VersionError} `invalid_name`, `invalid_range`
 */
export function parsePackName(name: string): PackName {
  const isText: boolean = typeof name === 'string'
  const [pack = '', range] = isText ? name.split(/@(.*)/s, 2) : []
  const isSlug = SLUG_PATTERN.test(pack) && pack.length <= fieldLimits.slug
  if (!isSlug && !ID_PATTERN.test(pack)) {
    const found = isText ? JSON.stringify(name.slice(0, 80).toWellFormed()) : typeof name
    throw new VersionError('invalid_name', `${found} is not the name of a pack`, NAME_HINT)
  }
  if (range !== undefined) parseRange(range)
  return { pack, range }
}

/**
 * Parses a range of versions, in the notation of npm without pre-releases, `||` and hyphen ranges:
 * `1.2.3`, `^1.2`, `~1.2.3`, `1.x`, `*`, `latest`, and comparisons that are separated by spaces
 * (`>=1.2 <3`).
 * @throws {VersionError} `invalid_range`
 */
export function parseRange(range: string): VersionRange {
  const parts = range === 'latest' ? ['*'] : range.length > MAX_RANGE ? [] : range.trim().split(/ +/)
  const intervals = parts.map((part) => parsePart(part))
  if (intervals.length === 0 || intervals.includes(undefined)) {
    const found = JSON.stringify(range.slice(0, 80).toWellFormed())
    throw new VersionError('invalid_range', `${found} is not a range of versions`, RANGE_HINT)
  }
  return {
    exact: VERSION_PATTERN.test(range) ? range : undefined,
    contains: (version) =>
      intervals.every(
        (interval) =>
          compareVersions(version, interval!.from) >= 0 &&
          (interval!.below === undefined || compareVersions(version, interval!.below) < 0),
      ),
  }
}

export interface ChoosableVersion {
  readonly version: string
  readonly yanked?: boolean
}

/**
 * Returns the version that a range means: its only one, or else the newest in it that is not
 * yanked; undefined if there is none.
 * @param versions in any order
 * @throws {VersionError} `invalid_range`
 */
export function chooseVersion<Version extends ChoosableVersion>(
  versions: readonly Version[],
  range = '*',
): Version | undefined {
  const { exact, contains } = parseRange(range)
  return versions
    .filter(({ version, yanked }) => contains(version) && (!yanked || version === exact))
    .toSorted((a, b) => compareVersions(a.version, b.version))
    .at(-1)
}

/** Negative if `a` is lower than `b`, 0 if they are equal. */
export function compareVersions(a: string, b: string): number {
  const others = b.split('.').map(Number)
  return a.split('.').reduce((found, part, at) => found || Number(part) - (others[at] ?? 0), 0)
}

/** Versions from `from`, which is included, to `below`, which is not. */
interface Interval {
  readonly from: string
  readonly below: string | undefined
}

const PART =
  /^(?<operator>[\^~]|[<>]=?|=)?v?(?<major>\d{1,9}|[x*])(?:\.(?<minor>\d{1,9}|[x*]))?(?:\.(?<patch>\d{1,9}|[x*]))?$/

function parsePart(part: string): Interval | undefined {
  const groups = PART.exec(part)?.groups
  if (groups === undefined) return undefined
  const { operator } = groups
  const given = [groups['major'], groups['minor'], groups['patch']].map((text) =>
    text === undefined || text === 'x' || text === '*' ? undefined : Number(text),
  )
  const known = given.includes(undefined) ? given.indexOf(undefined) : 3
  if (given.slice(known).some((number) => number !== undefined)) return undefined
  const numbers = given.map((number) => number ?? 0)
  const from = numbers.join('.')
  // The first version after all that have the given numbers.
  const next = known === 0 ? undefined : raise(numbers, known - 1)
  switch (operator) {
    case '>=':
      return { from, below: undefined }
    case '>':
      // Nothing is above every version.
      return { from: next ?? '1.0.0', below: next === undefined ? '0.0.0' : undefined }
    case '<':
      return { from: '0.0.0', below: from }
    case '<=':
      return { from: '0.0.0', below: next }
    case '^': {
      const first = numbers.findIndex((number) => number > 0)
      const fixed = first < 0 || first >= known ? known - 1 : first
      return { from, below: known === 0 ? undefined : raise(numbers, fixed) }
    }
    case '~':
      return { from, below: known === 0 ? undefined : raise(numbers, Math.min(known - 1, 1)) }
    default:
      return { from, below: next }
  }
}

/** Increments the number at `at` and sets those after it to 0. */
function raise(numbers: readonly number[], at: number): string {
  return numbers.map((number, index) => (index < at ? number : index === at ? number + 1 : 0)).join('.')
}
