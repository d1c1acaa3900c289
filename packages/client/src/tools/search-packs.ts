import { frameTexts, writeHead } from '@packs/codec/internal'
import type { DocsSource } from '../docs/source.ts'
import type { Context, FoundSection, PackIdentity } from '../docs/types.ts'
import { type Answer, type CallContext, fitParts, joinLines } from './answer.ts'

export interface SearchArguments {
  readonly query: string
  /** Whether links have their addresses. */
  readonly links: boolean
}

/** What the text of an answer is from, for logs. */
export interface SearchData {
  readonly match: Context['match']
  readonly passages: readonly (Omit<PackIdentity, 'title'> & {
    readonly sections: readonly string[]
    readonly tokens: number
  })[]
}

/** Most sections to name. */
const MAX_SECTIONS = 10
/** Most lines after passages. */
const MAX_LINES = 5

/** Answers with passages and a line for each further section, or else a line for each section. */
export async function searchPacks(
  source: DocsSource,
  { query, links }: SearchArguments,
  { limit, signal, names }: CallContext,
): Promise<Answer<SearchData>> {
  const form = links ? 'inline' : 'drop'
  const asked = { budget: limit.maxTokens, links: form, signal } as const
  const found = await source.context(query, asked).catch(skipUnsupported)
  if (found === undefined) {
    const { sections } = await source.search(query, { limit: MAX_SECTIONS, signal })
    return listSections('Sections that match:', sections.map(describeSection), limit)
  }
  const passages = found.passages.map(({ pack, version, digest, sections, tokens }) => {
    return { pack, version, digest, sections, tokens }
  })
  const data = { match: found.match, passages }
  const further = found.omitted.map(describeSection)
  if (found.passages.length === 0) return answerWithout(found, further, limit)
  return fitParts(limit, { least: 0, total: Math.min(MAX_LINES, further.length) }, (count) => ({
    text:
      count === 0
        ? found.text
        : `${found.text}Not included, for ${names.read}:\n${frame(further.slice(0, count))}`,
    data,
  }))
}

/** A client that demands signatures has no passages, which are not signed. */
function skipUnsupported(error: unknown): undefined {
  const { code } = error as Error & { readonly code?: unknown }
  if (code !== 'invalid_option') throw error
}

/** Says why there are no passages, and names the sections that there are. */
function answerWithout(
  { text, corrected, needed }: Context,
  sections: readonly SectionLine[],
  limit: CallContext['limit'],
): Answer<SearchData> {
  const unfit = `No passage fits max_tokens ${limit.maxTokens}: the smallest takes ${needed}.`
  if (needed !== null) return listSections(unfit, sections, limit)
  if (sections.length > 0) return listSections('Sections that match:', sections, limit)
  const whole =
    corrected === null ? `${text}Use fewer words, or words that the text itself would use.` : text.trimEnd()
  const isLong = limit.count(whole) > limit.maxTokens
  return { text: isLong ? 'No section answers this.' : whole, data: NO_PASSAGES }
}

const NO_PASSAGES: SearchData = { match: 'none', passages: [] }

function listSections(
  head: string,
  sections: readonly SectionLine[],
  limit: CallContext['limit'],
): Answer<SearchData> {
  // A search that was charged answers something, however few tokens it may have.
  const least =
    sections.length === 0 || limit.count(writeList(head, sections.slice(0, 1))) > limit.maxTokens ? 0 : 1
  return fitParts(limit, { least, total: sections.length }, (count) => ({
    text: count === 0 ? head : writeList(head, sections.slice(0, count)),
    data: NO_PASSAGES,
  }))
}

function writeList(head: string, lines: readonly SectionLine[]): string {
  return `${head}\n${writeHead()}${frame(lines)}`
}

/** Titles, headings and snippets are texts of packs too. */
function frame(lines: readonly SectionLine[]): string {
  return frameTexts([{ attributes: {}, text: lines.join('\n') }]).join('')
}

/** A section in one line, for a model that may read it. */
type SectionLine = string

function describeSection(
  section: Pick<FoundSection, 'pack' | 'section' | 'path' | 'tokens'> & {
    readonly snippet?: string | null
    readonly locked?: boolean
    readonly reason?: string
  },
): SectionLine {
  const { pack, section: id, path, tokens, snippet = null, locked, reason } = section
  const name = id === null ? pack : `${pack}#${id}`
  const key = locked === true || reason === 'locked' ? ' [needs a Pro key]' : ''
  const text = snippet === null ? '' : `: ${joinLines(snippet)}`
  return `- ${name} (${tokens} tokens)${key} ${path.map(joinLines).join(' › ')}${text}`
}
