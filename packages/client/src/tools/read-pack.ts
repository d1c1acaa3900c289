import { frameTexts, type LinkedText, writeHead, writeLinks } from '@packs/codec/internal'
import {
  checkPlace,
  findBelow,
  findPartEnd,
  type OpenedPart,
  openPart,
  readWhole,
  writePlace,
} from '../docs/read-text.ts'
import { type DocsSource, identify, type OpenedPack, SourceError } from '../docs/source.ts'
import type { OutlinedSection, PackIdentity } from '../docs/types.ts'
import {
  type Answer,
  type AnswerLimit,
  type CallContext,
  fitParts,
  joinLines,
  type ToolPair,
} from './answer.ts'

export interface ReadArguments {
  readonly pack: string
  readonly section: string | undefined
  /** Where an answer before ended. */
  readonly next: string | undefined
  /** Whether links have their addresses. */
  readonly links: boolean
}

/** What the text of an answer is from, for logs. */
export interface ReadData extends Omit<PackIdentity, 'title'> {
  readonly section: string | null
  /** Whether the text is a list of sections, because the whole is too large. */
  readonly outline: boolean
  /** Argument of the call that reads on; `null` at the end. */
  readonly next: string | null
}

/** How an answer is written. */
interface Reading extends OpenedPart {
  readonly form: 'inline' | 'drop'
  readonly limit: AnswerLimit
  readonly signal: AbortSignal
  readonly names: ToolPair
}

/**
 * Answers with the text that was asked for if it fits, else with the outline of a pack, or as much
 * of a section as fits.
 */
export async function readPack(
  source: DocsSource,
  args: ReadArguments,
  { limit, signal, names }: CallContext,
): Promise<Answer<ReadData>> {
  const part = await openPart(source, args.pack, args, signal)
  const reading = { ...part, form: args.links ? 'inline' : 'drop', limit, signal, names } as const
  const { pack, section, from } = part
  if (section === undefined) {
    // Other tokenizers than o200k_base may count half as many tokens again.
    const mayFit = pack.tokens <= 1.5 * limit.maxTokens
    const text = mayFit && from === 0 ? await pack.read(undefined, signal) : undefined
    const whole = text && writePart(reading, text, text.text.length)
    if (whole !== undefined && limit.count(whole.text) <= limit.maxTokens) return whole
    const { sections, total } = await pack.outline(signal)
    const open = sections.filter(({ locked }) => !locked)
    if (open.length > 1)
      return listSections({ ...reading, isNext: args.next !== undefined }, open, total - open.length)
  }
  const linked = await readWhole(part, signal)
  checkPlace(from, linked.text.length)
  const fits = (end: number): boolean => limit.count(writePart(reading, linked, end).text) <= limit.maxTokens
  const end = findPartEnd(linked.text, from, limit.maxTokens, fits)
  const isCut = end === undefined || end < linked.text.length
  if (isCut && section !== undefined && from === 0) {
    const alone = await readAlone({ ...reading, section })
    if (alone !== undefined) return alone
  }
  if (end !== undefined) return writePart(reading, linked, end)
  const least = limit.count(writePart(reading, linked, Math.min(linked.text.length, from + 1)).text)
  const message = `The shortest answer needs more than max_tokens ${limit.maxTokens}.`
  throw new SourceError('invalid_arguments', message, `Send max_tokens of at least ${least}.`)
}

/** Writes a section alone, with a list of all those below it; undefined if it does not fit. */
async function readAlone(
  reading: Reading & { readonly section: OutlinedSection },
): Promise<Answer<ReadData> | undefined> {
  const { pack, section, limit, signal, names } = reading
  const below = findBelow(await pack.outline(signal), section).filter(({ locked }) => !locked)
  if (below.length === 0) return undefined
  const linked = await pack.read({ id: section.section, subtree: false }, signal)
  const alone = writePart(reading, linked, linked.text.length)
  if (limit.count(alone.text) > limit.maxTokens) return undefined
  if (createLineLimit(limit)(below) < below.length) return undefined
  const list = frameLines(pack.pack, below)
  const text = `${alone.text}Not included: the sections below it. ${ask(names)}\n${list}`
  return limit.count(text) > limit.maxTokens ? undefined : { ...alone, text }
}

/** Writes a text up to an offset, with the way to read on if that is not its end. */
function writePart(
  { pack, section, from, form, names }: Reading,
  { text: all, links, ...options }: LinkedText,
  end: number,
): Answer<ReadData> {
  const { pack: slug, version, locked } = pack
  const id = section === undefined ? slug : `${slug}#${section.section}`
  const text = writeLinks(all.slice(from, end), links, form, options)
  const framed = frameTexts([{ attributes: { id }, text: from === 0 ? text : `[…]\n${text}` }]).join('')
  const note = locked ? ' (preview: only the beginning; the rest needs a Pro key)' : ''
  const next = end < all.length ? writePlace(pack, section?.section, end) : null
  const more = next === null ? '' : `There is more: call ${names.read} with next "${next}".\n`
  return {
    text: `${slug}@${version}${note}\n\n${writeHead()}${framed}${more}`,
    data: describe(pack, section?.section, next, false),
  }
}

function describe(
  pack: OpenedPack,
  section: string | undefined,
  next: string | null,
  outline: boolean,
): ReadData {
  const { title: _, ...identity } = identify(pack)
  return { ...identity, section: section ?? null, outline, next }
}

function ask({ read }: ToolPair): string {
  return `Call ${read} with one of these section ids (tokens with the sections below it, title):`
}

/**
 * Lists all levels of headings that fit: a model that sees the whole coarsely asks for the right
 * part. So a list is cut, and read on, only if fewer levels would leave one section, such as the
 * title.
 * @param hidden sections that are not in the list
 */
function listSections(
  { pack, from, limit, names, isNext }: Reading & { readonly isNext: boolean },
  sections: readonly OutlinedSection[],
  hidden: number,
): Answer<ReadData> {
  checkPlace(from, sections.length)
  const what = pack.locked ? 'preview of ' : ''
  const over = isNext ? '' : `, over max_tokens ${limit.maxTokens}`
  const head = `${pack.pack}@${pack.version}: ${what}about ${pack.tokens} tokens${over}. ${ask(names)}\n`
  const create = (shown: readonly OutlinedSection[], count: number): Answer<ReadData> => {
    const isCut = count < shown.length
    const next = isCut ? writePlace(pack, undefined, from + count) : null
    const rest = sections.length - from - count + (pack.locked ? 0 : hidden)
    const more = isCut
      ? `There are ${rest} more: call ${names.read} with next "${next}".`
      : rest > 0
        ? `${rest} sections below these: call ${names.read} with next "${writePlace(pack, undefined, 0)}" for all.`
        : ''
    const locked = pack.locked && hidden > 0 ? `${hidden} more sections need a Pro key.` : ''
    const text = head + writeHead() + frameLines(pack.pack, shown.slice(0, count), pack.title)
    return { text: [text + more, locked].join('\n').trimEnd(), data: describe(pack, undefined, next, true) }
  }
  const countFitting = createLineLimit(limit)
  for (const deepest of isNext ? [] : listLevels(sections)) {
    const shown = sections.filter(({ level }) => level <= deepest)
    if (shown.length < 2) break
    const answer = countFitting(shown) === shown.length ? create(shown, shown.length) : undefined
    if (answer !== undefined && limit.count(answer.text) <= limit.maxTokens) return answer
  }
  const left = sections.slice(from)
  return fitParts(limit, { least: Math.min(1, left.length), total: countFitting(left) || 1 }, (count) =>
    create(left, count),
  )
}

/**
 * Counts each line once, so that long lists are not written and counted just to find them too long.
 * Returns how many of the first sections may fit at most.
 */
function createLineLimit({
  maxTokens,
  count,
}: AnswerLimit): (sections: readonly OutlinedSection[]) => number {
  const counts = new Map<OutlinedSection, number>()
  return (sections) => {
    let least = 0
    const end = sections.findIndex((section) => {
      // With the line end after it, a line may have one token less.
      const tokens = counts.get(section) ?? count(writeLine(section)) - 1
      counts.set(section, tokens)
      least += tokens
      return least > maxTokens
    })
    return end < 0 ? sections.length : end
  }
}

function writeLine({ section, subtreeTokens, title }: OutlinedSection): string {
  return `- ${section} (${subtreeTokens}) ${joinLines(title)}`.trimEnd()
}

/** Returns the levels of headings, the deepest first. */
function listLevels(sections: readonly OutlinedSection[]): readonly number[] {
  const levels = new Set(sections.map(({ level }) => level).filter((level) => level > 0))
  return [...levels].toSorted((a, b) => b - a)
}

function frameLines(id: string, sections: readonly OutlinedSection[], title?: string): string {
  const top = listLevels(sections).at(-1) ?? 0
  const lines = sections.map((one) => '  '.repeat(Math.max(0, one.level - top)) + writeLine(one))
  return frameTexts([{ attributes: { id, ...(title && { title }) }, text: lines.join('\n') }]).join('')
}
