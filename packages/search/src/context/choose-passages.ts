import type { FoundPack, FoundSection } from '../store.ts'
import { frameTexts, joinLinks, type LinkedText, type TaggedText, writeHead } from '@packs/codec/internal'
import type { Context, ContextOptions, ContextPassage } from './types.ts'

/** A section that may become a passage. */
export interface Candidate {
  readonly pack: FoundPack
  readonly ordinal: number
  readonly section: FoundSection
  readonly score: number
  /** What each term of the question contributes to the score. */
  readonly contributions: Float64Array
  readonly text: string
  /** The addresses of the numbers in the text; none if its links have none. */
  readonly linked: Omit<LinkedText, 'text'>
  /** Those of the text. */
  readonly shingles: ReadonlySet<string>
}

/** A candidate with the tokens that it takes in an answer, about. */
export interface Sized extends Candidate {
  readonly tokens: number
  /** Whether the text is only a part of the section. */
  readonly isCut: boolean
}

/** How much of a term's contribution a passage loses if those before it have it too. */
const COVERED = 0.9
/**
 * Added to the tokens of a passage before they are weighed, and how steeply the score counts: with
 * 1, a short passage of little use would go before a long one that answers.
 */
const FIXED_TOKENS = 300
const STEEPNESS = 4
/** A passage that adds less than this share of the best score is omitted, even if it would fit. */
const LEAST = 0.05
/**
 * A section too long for what is left is cut once more if this share of its score is new, as for
 * another part of the question, and so many tokens are left.
 */
const NEW = 0.5
const LEAST_TOKENS = 150
/** Its share of what is left: its tokens are estimated, and it leaves if the text is too long. */
const ESTIMATE = 0.85

/** Returns a section as far as it fits a limit of tokens; `undefined` if no part of it does. */
export type Fitter = (candidate: Candidate, limit?: number) => Sized | undefined

/**
 * Chooses passages within a budget: again and again the one that adds most to what the others say
 * for its tokens. What a term contributes counts less the more of it is there already, so that each
 * part of a question with two parts gets passages. This is the greedy algorithm for a budgeted
 * coverage problem (Khuller, Moss, Naor, "The budgeted maximum coverage problem", 1999): the best
 * single passage is taken instead if it is worth more. Duplicates of a passage are not chosen.
 * @param candidates best first
 * @param fit cuts a section to its share of the budget, unless a limit is given
 * @returns the passages in the order in which they were chosen
 */
export function choosePassages(
  candidates: readonly Candidate[],
  budget: number,
  fit: Fitter,
): readonly Sized[] {
  const chosen: Sized[] = []
  const sized = candidates.map((candidate) => [candidate, fit(candidate)] as const)
  const rest = new Map(sized.filter((pair): pair is [Candidate, Sized] => pair[1] !== undefined))
  const covered = new Float64Array(candidates[0]?.contributions.length ?? 0)
  let left = budget
  let worth = 0
  for (;;) {
    let candidate: Candidate | undefined
    let most = 0
    for (const [other, { tokens }] of rest) {
      const added = addedScore(other, covered)
      if (added < LEAST * candidates[0]!.score) continue
      if (tokens > left && (added < NEW * other.score || left < LEAST_TOKENS)) continue
      const rate = added ** STEEPNESS / (Math.min(tokens, left) + FIXED_TOKENS)
      if (rate > most) [candidate, most] = [other, rate]
    }
    if (candidate === undefined) break
    const whole = rest.get(candidate)!
    rest.delete(candidate)
    const best = whole.tokens <= left ? whole : fit(candidate, ESTIMATE * left)
    if (best === undefined || best.tokens > left) continue
    worth += addedScore(best, covered)
    for (const [term, value] of best.contributions.entries()) covered[term] = Math.max(covered[term]!, value)
    left -= best.tokens
    chosen.push(best)
    // Only the part of a section that was chosen counts.
    for (const other of rest.keys()) if (isDuplicate(best.shingles, other.shingles)) rest.delete(other)
  }
  const [, single] = sized.find(([, found]) => found !== undefined && found.tokens <= budget) ?? []
  return single !== undefined && single.score > worth ? [single] : chosen
}

/** Returns what a candidate adds to passages that cover the terms so far. */
function addedScore({ score, contributions }: Candidate, covered: Float64Array): number {
  let all = 0
  let added = 0
  for (const [term, value] of contributions.entries()) {
    all += value
    added += value - COVERED * Math.min(value, covered[term]!)
  }
  return all === 0 ? 0 : (score * added) / all
}

/** Words of a shingle, and the share of shingles from which on two texts are taken for the same. */
const WORDS = 5
const SAME = 0.9

const WORD = /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]|[\p{L}\p{N}]+/gv

/**
 * Five-word shingles (Broder, "On the resemblance and containment of documents", 1997). In scripts
 * without spaces a character counts as a word.
 */
export function listShingles(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(WORD) ?? [text]
  const count = Math.max(1, words.length - WORDS + 1)
  return new Set(Array.from({ length: count }, (_, at) => words.slice(at, at + WORDS).join(' ')))
}

/** Whether 90 % of the shingles of the smaller one of two texts are in the other. */
export function isDuplicate(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a]
  // The number of misses that is allowed ends most comparisons after a few shingles.
  let misses = Math.floor((1 - SAME) * small.size + 1e-9)
  for (const shingle of small) if (!large.has(shingle) && misses-- <= 0) return false
  return true
}

/** Whether two texts are duplicates, and neither has much that the other lacks. */
export function isCopy(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return Math.min(a.size, b.size) >= SAME * Math.max(a.size, b.size) && isDuplicate(a, b)
}

/** A passage of an answer: a section, or adjacent sections of a pack. */
interface WrittenPassage extends Omit<ContextPassage, 'tokens'> {
  /** The passage in its tags. */
  readonly tagged: string
}

/** The passages of an answer, and its text with the addresses of its numbers. */
interface WrittenPassages extends Pick<Context, 'text' | 'links'> {
  readonly passages: readonly WrittenPassage[]
}

interface FittedPassages extends WrittenPassages {
  readonly chosen: readonly Sized[]
  /** If none fits, the tokens that the smallest takes. */
  readonly needed: number | null
}

/**
 * Tokens are estimates, so those chosen last leave until the text fits the budget.
 * @param others passages to try by themselves, best first
 */
export function fitPassages(
  sized: readonly Sized[],
  others: Iterable<Sized>,
  { budget, measure }: Pick<ContextOptions, 'budget' | 'measure'>,
): FittedPassages {
  for (let chosen = sized; chosen.length > 0; chosen = chosen.slice(0, -1)) {
    const written = writePassages(chosen)
    if (measure(written.text) <= budget) return { chosen, ...written, needed: null }
  }
  let needed: number | null = null
  for (const other of others) {
    const written = writePassages([other])
    const tokens = measure(written.text)
    if (tokens <= budget) return { chosen: [other], ...written, needed: null }
    needed = Math.min(needed ?? tokens, tokens)
  }
  return { chosen: [], passages: [], text: '', links: {}, needed }
}

/** By packs' best sections and in document order, adjacent ones joined, links numbered over all. */
function writePassages(chosen: readonly Sized[]): WrittenPassages {
  const groups = [...Map.groupBy(chosen, ({ pack }) => pack.number).values()]
  const best = (group: readonly Sized[]): number => Math.max(...group.map(({ score }) => score))
  const compare = (a: readonly Sized[], b: readonly Sized[]): number =>
    best(b) - best(a) || (a[0]!.pack.slug < b[0]!.pack.slug ? -1 : 1)
  const joined = groups.toSorted(compare).flatMap(joinAdjacent)
  const numbered = joinLinks(joined.flat().map(({ linked, text }) => ({ ...linked, text })))
  const written = numbered.texts.values()
  const inner = joined.map((parts) =>
    trimLines(parts.map(() => written.next().value!).join('')).toWellFormed(),
  )
  const texts = frameTexts(
    joined.map((parts, index) => ({ attributes: describe(parts), text: inner[index]! })),
  )
  const passages = joined.map((parts, index): WrittenPassage => {
    const { pack, section } = parts[0]!
    return {
      pack,
      sections: parts.map((part) => part.section),
      path: writePath(pack, findCommonPath(parts)),
      score: best(parts),
      text: inner[index]!,
      url: locateSection(pack, section),
      tagged: texts[index]!,
    }
  })
  const head = writeHead(undefined, numbered.links.length > 0)
  const links = Object.fromEntries(numbered.links.map((address, at) => [at + 1, address]))
  return { passages, text: head + texts.join(''), links }
}

/** Groups sections that follow one another. A section that was cut stays alone. */
function joinAdjacent(group: readonly Sized[]): Sized[][] {
  const joined: Sized[][] = []
  for (const part of group.toSorted((a, b) => a.ordinal - b.ordinal)) {
    const before = joined.at(-1)?.at(-1)
    const isNext = before !== undefined && before.ordinal + 1 === part.ordinal
    if (isNext && !before.isCut && !part.isCut) joined.at(-1)!.push(part)
    else joined.push([part])
  }
  return joined
}

function findCommonPath([first, ...others]: readonly Sized[]): readonly string[] {
  const { path } = first!.section
  const isCommon = (title: string, at: number): boolean =>
    others.every(({ section }) => section.path[at] === title)
  const end = path.findIndex((title, at) => !isCommon(title, at))
  return end < 0 ? path : path.slice(0, end)
}

/** Title of the pack, then headings. The first heading of most packs is their title. */
export function writePath({ title }: FoundPack, headings: readonly string[]): readonly string[] {
  return [title, ...(headings[0] === title ? headings.slice(1) : headings)]
}

function locateSection({ url }: FoundPack, { id }: FoundSection): string | null {
  if (url === undefined) return null
  const [page = url] = url.split('#', 1)
  return id === '~intro' ? page : `${page}#${id}`
}

function describe(parts: readonly Sized[]): TaggedText['attributes'] {
  const { pack } = parts[0]!
  return {
    id: `${pack.slug}#${parts.map((part) => part.section.id).join(' ')}`,
    path: findCommonPath(parts).join(' › ') || pack.title,
  }
}

/** Removes blank lines at the start, and white space at the end. */
export function trimLines(text: string): string {
  return text.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd()
}
