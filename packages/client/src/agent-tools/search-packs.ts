import {
  type Answer,
  type CallContext,
  describeIdentity,
  fitParts,
  type IdentityData,
  joinLines,
} from './answer.ts'
import type { PackSource, SectionHit } from './pack-source.ts'

/** The structured content of an answer of `search_packs`. */
export interface SearchData {
  readonly hits: readonly HitData[]
  /** What to do if there are none. */
  readonly text?: string
}

interface HitData extends IdentityData {
  readonly section: string | null
  readonly path: string
  readonly tokens: number
  readonly snippet: string | null
  readonly locked?: true
  readonly pinned?: false
}

/** Most hits of an answer. */
const MAX_HITS = 10

/** Answers a call of `search_packs`: one line for each hit, as many as fit. */
export async function searchPacks(
  source: PackSource,
  query: string,
  { limit, signal, charge }: CallContext,
): Promise<Answer<SearchData>> {
  await charge?.()
  const hits = await source.search(query, { limit: MAX_HITS, signal })
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

/**
 * Returns a hit in ever shorter forms: all of it, without its text, without headings, and the pack
 * alone.
 */
function createShortest(hit: SectionHit): readonly SectionHit[] {
  const section = hit.section && { ...hit.section, path: [] }
  const unnamed = { ...hit, snippet: null, title: '', section }
  return [hit, { ...hit, snippet: null }, unnamed, { ...unnamed, section: null }]
}

function createAnswer(hits: readonly SectionHit[]): Answer<SearchData> {
  return {
    text: hits.map((hit, index) => `${index + 1}. ${writeHit(hit)}`.trimEnd()).join('\n'),
    data: { hits: hits.map(describeHit) },
  }
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
