import { frameTexts, type LinkForm, writeHead } from '@packs/codec/internal'
import {
  type Answer,
  type AnswerLimit,
  type CallContext,
  describeIdentity,
  fitParts,
  type IdentityData,
  joinLines,
} from './answer.ts'
import type { PackSource, SectionHit, SourceContext } from './pack-source.ts'

export interface SearchArguments {
  readonly query: string
  /** Whether links have their addresses. */
  readonly links: boolean
}

/** The structured content of an answer of `search_packs`. */
export interface SearchData {
  /** The passages; without any, what to do if there are no hits. */
  readonly text?: string
  /** The sections of the passages, then others that match. */
  readonly hits: readonly HitData[]
}

interface HitData extends IdentityData {
  readonly section: string | null
  /** All sections of a passage that has several. */
  readonly sections?: readonly string[]
  readonly path: string
  readonly tokens: number
  /** Part of the section around the match; absent if `text` has the section. */
  readonly snippet?: string | null
  readonly in_text?: true
  readonly locked?: true
  readonly pinned?: false
}

/** Most hits of an answer. */
const MAX_HITS = 10

/** Answers with passages and a line for each further section, or else a line for each hit. */
export async function searchPacks(
  source: PackSource,
  { query, links }: SearchArguments,
  { limit, signal }: CallContext,
): Promise<Answer<SearchData>> {
  const form = links ? 'inline' : 'drop'
  const found = await answerWithPassages(source, { query, form }, limit, signal)
  return found ?? listHits(await source.search(query, { limit: MAX_HITS, signal }), limit)
}

/** Then sections are searched: a client with a lock or signers, an older catalog. */
const WITHOUT_CONTEXT: readonly string[] = ['invalid_option', 'not_found']

/** Tokens of the structured content besides the text, for each passage. */
const PASSAGE_TOKENS = 80
const MAX_ATTEMPTS = 3

async function answerWithPassages(
  source: PackSource,
  { query, form: links }: { readonly query: string; readonly form: LinkForm },
  limit: AnswerLimit,
  signal: AbortSignal,
): Promise<Answer<SearchData> | undefined> {
  const { isQuoted } = limit
  let budget = isQuoted ? limit.maxTokens - PASSAGE_TOKENS : limit.maxTokens
  for (let attempt = 0; attempt < MAX_ATTEMPTS && budget > 0; attempt++) {
    const found = await source.context(query, { budget, isQuoted, links, signal }).catch(skipUnsupported)
    if (found === undefined || (found.text === '' && found.omitted.length === 0)) return undefined
    if (found.text === '') return listHits(found.omitted, limit)
    const create = (lines: number): Answer<SearchData> => createPassages(found, lines)
    const answer = create(0)
    if (limit.fits(answer))
      return fitParts(limit, { least: 0, total: Math.min(MAX_LINES, found.omitted.length) }, create)
    budget = Math.floor(budget * Math.min(0.9, limit.maxTokens / limit.count(answer))) - 1
  }
  return undefined
}

function skipUnsupported(error: unknown): undefined {
  const { code } = error as Error & { readonly code?: unknown }
  if (!WITHOUT_CONTEXT.includes(String(code))) throw error
}

/** Most lines after the passages. */
const MAX_LINES = 5

/** @param lines further sections to list */
function createPassages({ text, passages, omitted }: SourceContext, lines: number): Answer<SearchData> {
  const further = omitted.slice(0, lines)
  const list = further.map((hit) => `- ${writeHit(hit)}`.trimEnd())
  return {
    text: list.length === 0 ? text : `${text}Not included, for read_pack:\n${frameLines(list)}`,
    data: {
      text,
      hits: [
        ...passages.map(({ sections, path, tokens, ...identity }) => ({
          ...describeIdentity({ ...identity, title: '' }),
          section: sections[0] ?? null,
          ...(sections.length > 1 && { sections }),
          path: path.map(joinLines).join(' › '),
          tokens,
          in_text: true as const,
        })),
        ...further.map(describeHit),
      ],
    },
  }
}

function listHits(hits: readonly SectionHit[], limit: AnswerLimit): Answer<SearchData> {
  if (hits.length === 0) {
    const text = 'No section answers this. Use fewer words, or words that the text itself would use.'
    return { text, data: { hits: [], text } }
  }
  const shortest = createShortest(hits[0]!)
  const least = shortest.findIndex((hit) => limit.fits(createAnswer([hit])))
  // A search that was charged answers something, however few tokens it may have.
  if (least > 0) return createAnswer([shortest[least]!])
  return fitParts(limit, { least: 1, total: hits.length }, (count) => createAnswer(hits.slice(0, count)))
}

/** Ever shorter: all of it, without its text, without headings, the pack alone. */
function createShortest(hit: SectionHit): readonly SectionHit[] {
  const section = hit.section && { ...hit.section, path: [] }
  const unnamed = { ...hit, snippet: null, title: '', section }
  return [hit, { ...hit, snippet: null }, unnamed, { ...unnamed, section: null }]
}

function createAnswer(hits: readonly SectionHit[]): Answer<SearchData> {
  return {
    text: writeHead() + frameLines(hits.map((hit, index) => `${index + 1}. ${writeHit(hit)}`.trimEnd())),
    data: { hits: hits.map(describeHit) },
  }
}

/** Titles, headings and snippets are texts of packs too. */
function frameLines(lines: readonly string[]): string {
  return frameTexts([{ attributes: {}, text: lines.join('\n') }]).join('')
}

function writeHit(hit: SectionHit): string {
  const { slug, version, title, section, tokens, snippet, isLocked = false, isUnpinned = false } = hit
  const part = section === null ? 'whole pack' : `section ${section.id}`
  const locked = isLocked && section !== null ? ' [needs a Pro key]' : ''
  const text = snippet === null ? locked : `: ${joinLines(snippet)}`
  const unpinned = isUnpinned ? ' [not pinned: read_pack cannot read this version]' : ''
  return `${slug}@${version} ${part} (${tokens} tokens)${unpinned} ${writePath(title, section)}${text}`
}

function describeHit(hit: SectionHit): HitData {
  const { title, section, tokens, snippet } = hit
  return {
    ...describeIdentity(hit),
    section: section?.id ?? null,
    path: writePath(title, section),
    tokens,
    snippet: snippet === null ? null : joinLines(snippet),
    ...(hit.isLocked === true && { locked: true as const }),
    ...(hit.isUnpinned === true && { pinned: false as const }),
  }
}

/** The first heading of most packs is their title. */
function writePath(title: string, section: SectionHit['section']): string {
  const path = section?.path ?? []
  return [title, ...(path[0] === title ? path.slice(1) : path)].map(joinLines).join(' › ')
}
