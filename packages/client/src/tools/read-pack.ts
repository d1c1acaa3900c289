import {
  type Answer,
  type AnswerLimit,
  type CallContext,
  type IdentityData,
  MAX_TOKENS,
  describeIdentity,
  fitParts,
  joinLines,
} from './answer.ts'
import { frameTexts, type LinkedText, writeHead, writeLinks } from '@packs/codec/internal'
import {
  type OpenedPack,
  type OutlineEntry,
  type PackOutline,
  type PackSource,
  SourceError,
} from './pack-source.ts'

export interface ReadArguments {
  readonly pack: string
  readonly section: string | undefined
  /** Whether links have their addresses. */
  readonly links: boolean
}

/** Answers with the text that was asked for if it fits, else the outline. */
export async function readPack(
  source: PackSource,
  args: ReadArguments,
  { limit, signal }: CallContext,
): Promise<Answer<ReadData>> {
  const { pack, section } = await findPart(source, args, signal)
  const reading = { form: args.links ? 'inline' : 'drop', limit, signal } as const
  if (section !== undefined) return readSection(pack, section, reading)
  if (mayFit(pack.tokens, limit)) {
    const answer = createAnswer(pack, undefined, await pack.read(undefined, signal), reading)
    if (limit.fits(answer)) return answer
  }
  return outlinePack(pack, await pack.outline(signal), limit)
}

async function findPart(
  source: PackSource,
  { pack: name, section: id }: ReadArguments,
  signal: AbortSignal,
): Promise<{ readonly pack: OpenedPack; readonly section: OutlineEntry | undefined }> {
  const pack = await source.open(name, signal)
  return { pack, section: id === undefined ? undefined : await findSection(pack, id, signal) }
}

/** @throws SourceError `section_not_found` or `tier_required` */
async function findSection(pack: OpenedPack, id: string, signal: AbortSignal): Promise<OutlineEntry> {
  const { section, nearest } = await pack.find(id.replace(/^#/, ''), signal)
  const name = `${pack.slug}@${pack.version}`
  if (section === undefined) {
    const hint =
      nearest.length === 0
        ? 'Call read_pack without a section, or search_packs.'
        : `Similar ids: ${nearest.join(', ')}.`
    throw new SourceError('section_not_found', `${name} has no such section.`, hint)
  }
  if (section.isOpen) return section
  throw new SourceError(
    'tier_required',
    `The section is not in the preview of ${name}, which is all that Free accounts get.`,
    'Call read_pack without a section for the preview; the rest needs a Pro key.',
  )
}

/**
 * Reads a section with those below it, or alone with a list of the others; if that is too large
 * too, lists what it consists of.
 */
async function readSection(
  pack: OpenedPack,
  section: OutlineEntry,
  reading: Reading,
): Promise<Answer<ReadData>> {
  const { limit, signal } = reading
  const read = async (subtree: boolean): Promise<Answer<ReadData>> =>
    createAnswer(pack, section.id, await pack.read({ id: section.id, subtree }, signal), reading)
  const outline = await pack.outline(signal)
  const below = findBelow(outline, section)
  const context = { below: below.filter(({ isOpen }) => isOpen), limit }
  let needed: number | undefined
  const isWholeOpen =
    !pack.isPreview || (below.length === context.below.length && outline.total === outline.sections.length)
  if (isWholeOpen && mayFit(section.subtreeTokens, limit)) {
    const whole = await read(true)
    if (limit.fits(whole)) return whole
    if (below.length === 0) needed = limit.count(whole)
  }
  if (below.length > 0 && mayFit(section.tokens, limit)) {
    const alone = await read(false)
    if (limit.fits(alone)) return listBelow(alone, context)
    needed = limit.count(alone)
  }
  return outlineSection(pack, section, { ...context, needed })
}

/**
 * A text that cannot fit is not read. Other tokenizers than o200k_base may count half as many
 * tokens again, and so may a text with the numbers of links.
 */
function mayFit(tokens: number, { maxTokens }: AnswerLimit): boolean {
  return tokens <= 1.5 * maxTokens
}

/** How a text is read. */
interface Reading {
  readonly form: 'inline' | 'drop'
  readonly limit: AnswerLimit
  readonly signal: AbortSignal
}

function createAnswer(
  pack: OpenedPack,
  section: string | undefined,
  { text: read, links, ...options }: LinkedText,
  { form }: Reading,
): Answer<ReadData> {
  const id = nameFrame(pack, section)
  const plain = writeLinks(read, links, form, options)
  const text = writeHead() + frameTexts([{ attributes: { id }, text: plain }]).join('')
  const note = pack.isPreview ? ' (preview: only the beginning; the rest needs a Pro key)' : ''
  return {
    text: `${pack.slug}@${pack.version}${note}\n\n${text}`,
    data: {
      ...describeIdentity(pack),
      ...(section !== undefined && { section }),
      ...(pack.isPreview && { preview: true as const }),
      text,
    },
  }
}

function nameFrame({ slug }: OpenedPack, section: string | undefined): string {
  return section === undefined ? slug : `${slug}#${section}`
}

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
  const size = `${pack.slug}@${pack.version}: ${what}about ${pack.tokens} tokens, over max_tokens ${limit.maxTokens}.`
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
 * Without any, says what it needs.
 * @param needed tokens of its own text, if known
 */
function outlineSection(
  pack: OpenedPack,
  { id, tokens, subtreeTokens }: OutlineEntry,
  { below, limit, needed }: SectionContext & { readonly needed: number | undefined },
): Answer<ReadData> {
  const size = `${pack.slug}@${pack.version}: the section has ${subtreeTokens} tokens, over max_tokens ${limit.maxTokens}.`
  const most = needed ?? estimate(tokens)
  const more =
    (needed ?? tokens) > MAX_TOKENS
      ? 'Its own text is too large for this tool.'
      : `Its own text needs max_tokens ${most}.`
  const head = [size, more, ...(below.length === 0 ? [] : [ASK])].join(' ')
  return listSections(pack, id, { head, sections: below, hidden: 0, limit })
}

/** Adds the list of the sections below one to its own text, as far as it fits. */
function listBelow(alone: Answer<ReadData>, { below, limit }: SectionContext): Answer<ReadData> {
  if (below.length === 0) return alone
  const head = `Not included: the sections below it. ${ASK}\n`
  return fitParts(limit, { least: -1, total: createLineLimit(limit)(below) }, (count) => {
    if (count < 0) return alone
    const list =
      count === 0
        ? `Not included: the ${below.length} sections below it.`
        : writeList(head, below, { count, hidden: 0, locked: 0, id: alone.data.pack })
    return { text: alone.text + list, data: { ...alone.data, text: alone.data.text + list } }
  })
}

/** Returns the sections below one, in order, as far as the outline goes. */
function findBelow({ sections }: PackOutline, { id, level }: OutlineEntry): readonly OutlineEntry[] {
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
 * All levels of headings that fit: a model that sees the whole coarsely asks for the right part. So
 * a list is cut only if fewer levels would leave one section, such as the title.
 */
function listSections(
  pack: OpenedPack,
  id: string | undefined,
  { head, sections, hidden, limit }: SectionList,
): Answer<ReadData> {
  const create = (shown: readonly OutlineEntry[], count: number): Answer<ReadData> => {
    const [open, locked] = pack.isPreview ? [0, hidden] : [hidden, 0]
    const rest = open + sections.length - shown.length
    const names = { id: nameFrame(pack, id), title: pack.title }
    const first = `${head}\n${count === 0 ? '' : writeHead()}`
    const text = writeList(first, shown, { count, hidden: rest, locked, ...names })
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
  if (cut.length > 0 && !limit.fits(create(cut, 1))) {
    const [whole, first] = [limit.count(create(cut, cut.length)), limit.count(create(cut, 1))]
    const most = Math.min(whole, MAX_TOKENS)
    const message = `A list of sections needs more than max_tokens ${limit.maxTokens}.`
    const hint = most > first ? `Send ${most} for all, at least ${first} for the first.` : `Send ${first}.`
    throw new SourceError('invalid_arguments', message, hint)
  }
  const least = Math.min(1, cut.length)
  return fitParts(limit, { least, total: Math.max(least, countFitting(cut)) }, (count) => create(cut, count))
}

/**
 * Counts each line once, so that long lists are not written and counted just to find them too long.
 * Returns how many of the first sections may fit at most.
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

interface ListOptions {
  /** How many sections are listed. */
  readonly count: number
  /** Others that are not. */
  readonly hidden: number
  /** Sections that need another tier. */
  readonly locked: number
  readonly id: string
  readonly title?: string
}

function writeList(
  head: string,
  sections: readonly OutlineEntry[],
  { count, hidden, locked, ...attributes }: ListOptions,
): string {
  const top = listLevels(sections).at(-1) ?? 0
  const lines = sections.slice(0, count).map((section) => {
    return '  '.repeat(Math.max(0, section.level - top)) + writeLine(section)
  })
  const rest = sections.length - count + hidden
  const more = rest === 0 ? [] : [`${rest} more sections are not listed.`]
  const closed = locked === 0 ? [] : [`${locked} more sections need a Pro key.`]
  const parts = lines.length === 0 ? [] : [{ attributes, text: lines.join('\n') }]
  return `${head}${frameTexts(parts).join('')}${[...more, ...closed].join('\n')}`.trimEnd()
}
