import {
  type Answer,
  type AnswerLimit,
  describeIdentity,
  fitParts,
  type IdentityData,
  joinLines,
  MAX_TOKENS,
} from './answer.ts'
import { SourceError, type OpenedPack, type OutlineEntry, type PackOutline } from './pack-source.ts'

/** The structured content of an answer of `read_pack`. */
export interface ReadData extends IdentityData {
  readonly section?: string
  readonly preview?: true
  readonly text: string
}

/** Lists the sections of a pack that is too large, or those that its preview has. */
export function outlinePack(
  pack: OpenedPack,
  { sections, total }: PackOutline,
  limit: AnswerLimit,
): Answer<ReadData> {
  const open = sections.filter(({ isOpen }) => isOpen)
  const what = pack.isPreview ? 'preview of ' : ''
  const size = `${pack.slug}@${pack.version} ${joinLines(pack.title)}: ${what}about ${pack.tokens} tokens, over max_tokens ${limit.maxTokens}.`
  const head = `${size} ${open.length === 0 ? `Read it with max_tokens ${estimate(pack.tokens)}.` : ASK}`
  return listSections(pack, undefined, { head, sections: open, hidden: total - open.length, limit })
}

const ASK = 'Call read_pack with one of these section ids (tokens with the sections below it, title):'

/** JSON and the names of an answer add some tokens, another tokenizer more. */
function estimate(tokens: number): number {
  return Math.min(MAX_TOKENS, Math.ceil(1.5 * tokens) + 150)
}

/** What is needed to list the sections below one. */
interface SectionContext {
  /** Those that the reader may see. */
  readonly below: readonly OutlineEntry[]
  readonly limit: AnswerLimit
}

/**
 * Lists the sections below one that is too large; without any, says what it needs.
 *
 * @param needed tokens of its own text, if known
 */
export function outlineSection(
  pack: OpenedPack,
  { id, tokens, subtreeTokens }: OutlineEntry,
  { below, limit, needed }: SectionContext & { readonly needed: number | undefined },
): Answer<ReadData> {
  const size = `${pack.slug}@${pack.version} section ${id}: ${subtreeTokens} tokens, over max_tokens ${limit.maxTokens}.`
  const most = needed ?? estimate(tokens)
  const more =
    (needed ?? tokens) > MAX_TOKENS
      ? 'Its own text is too large for this tool.'
      : `Its own text needs max_tokens ${most}.`
  const head = [size, more, ...(below.length === 0 ? [] : [ASK])].join(' ')
  return listSections(pack, id, { head, sections: below, hidden: 0, limit })
}

/** Adds the list of the sections below one to its own text, as far as it fits. */
export function listBelow(alone: Answer<ReadData>, { below, limit }: SectionContext): Answer<ReadData> {
  if (below.length === 0) return alone
  const head = `Not included: the sections below it. ${ASK}`
  return fitParts(limit, { least: -1, total: createLineLimit(limit)(below) }, (count) => {
    if (count < 0) return alone
    const list =
      count === 0
        ? `Not included: the ${below.length} sections below it.`
        : writeList(head, below, count, 0, 0)
    const text = `${alone.data.text.trimEnd()}\n\n[${list}]`
    return { text: `${alone.text.trimEnd()}\n\n[${list}]`, data: { ...alone.data, text } }
  })
}

/** Returns the sections below one, in order, as far as the outline goes. */
export function findBelow({ sections }: PackOutline, { id, level }: OutlineEntry): readonly OutlineEntry[] {
  const start = sections.findIndex((section) => section.id === id) + 1
  if (start === 0 || level === 0) return []
  const end = sections.findIndex((section, index) => index >= start && section.level <= level)
  return sections.slice(start, end < 0 ? sections.length : end)
}

interface SectionList {
  readonly head: string
  readonly sections: readonly OutlineEntry[]
  /** Sections that are not in the list. */
  readonly hidden: number
  readonly limit: AnswerLimit
}

/**
 * Lists all levels of headings that fit. A model that sees the whole of a pack coarsely asks for
 * the right part; so a list is cut only if fewer levels would leave one section, such as the title.
 */
function listSections(
  pack: OpenedPack,
  id: string | undefined,
  { head, sections, hidden, limit }: SectionList,
): Answer<ReadData> {
  const create = (shown: readonly OutlineEntry[], count: number): Answer<ReadData> => {
    const [open, locked] = pack.isPreview ? [0, hidden] : [hidden, 0]
    const text = writeList(head, shown, count, open + sections.length - shown.length, locked)
    const data = { ...describeIdentity(pack), ...(id !== undefined && { section: id }), text }
    return { text, data, isOutline: true }
  }
  const countFitting = createLineLimit(limit)
  let cut: readonly OutlineEntry[] = sections
  for (const deepest of listLevels(sections)) {
    const shown = sections.filter(({ level }) => level <= deepest)
    if (shown.length < 2) break
    if (countFitting(shown) === shown.length) {
      const answer = create(shown, shown.length)
      if (limit.fits(answer)) return answer
    }
    cut = shown
  }
  if (cut.length > 0 && !limit.fits(create(cut, 1)))
    throw listLimitError(limit, limit.count(create(cut, cut.length)), limit.count(create(cut, 1)))
  const least = Math.min(1, cut.length)
  return fitParts(limit, { least, total: Math.max(least, countFitting(cut)) }, (count) => create(cut, count))
}

/**
 * Creates a function that returns how many of the first sections may fit at most. Each line is
 * counted once, so that long lists are not written and counted as a whole just to find that they
 * are too long.
 */
function createLineLimit({
  maxTokens,
  countText,
}: AnswerLimit): (sections: readonly OutlineEntry[]) => number {
  const counts = new Map<OutlineEntry, number>()
  return (sections) => {
    let least = 0
    const end = sections.findIndex((section) => {
      // With the line end after it, a line may have one token less.
      const tokens = counts.get(section) ?? countText(writeLine(section)) - 1
      counts.set(section, tokens)
      least += tokens
      return least > maxTokens
    })
    return end < 0 ? sections.length : end
  }
}

function writeLine({ id, subtreeTokens, title }: OutlineEntry): string {
  return `- ${id} (${subtreeTokens}) ${joinLines(title)}`.trimEnd()
}

/** Returns the levels of headings, the deepest first. */
function listLevels(sections: readonly OutlineEntry[]): readonly number[] {
  const levels = new Set(sections.map(({ level }) => level).filter((level) => level > 0))
  return [...levels].toSorted((a, b) => b - a)
}

/**
 * Creates the error for a list without room for one section: it says what the whole list needs, and
 * what the first section needs.
 */
function listLimitError({ maxTokens }: AnswerLimit, whole: number, least: number): SourceError {
  const message = `A list of sections needs more than max_tokens ${maxTokens}.`
  const most = Math.min(whole, MAX_TOKENS)
  const hint = most > least ? `Send ${most} for all, at least ${least} for the first.` : `Send ${least}.`
  return new SourceError('invalid_arguments', message, hint)
}

/** @param locked sections that need another tier */
function writeList(
  head: string,
  sections: readonly OutlineEntry[],
  count: number,
  hidden: number,
  locked: number,
): string {
  const top = listLevels(sections).at(-1) ?? 0
  const lines = sections.slice(0, count).map((section) => {
    return '  '.repeat(Math.max(0, section.level - top)) + writeLine(section)
  })
  const rest = sections.length - count + hidden
  const more = rest === 0 ? [] : [`${rest} more sections are not listed.`]
  const closed = locked === 0 ? [] : [`${locked} more sections need a Pro key.`]
  return [head, ...lines, ...more, ...closed].join('\n')
}
