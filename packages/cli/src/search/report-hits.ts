import type { SearchHit, SearchPage, SectionHit } from '@packs/search'
import { formatCount } from '../output/format-table.ts'
import { escapeControls, styleResult, writeNote, writeResult } from '../output/terminal.ts'
import type { SkippedFile } from '../input/open-packs.ts'

/** Further sections of a pack that are named. */
const MAX_ALSO = 3

/** What was found, in files or in a catalog. */
export interface FoundHits {
  readonly page: SearchPage
  /** Returns the file of a hit; undefined in a catalog. */
  readonly fileOf: (hit: SearchHit) => string | undefined
  readonly skipped: readonly SkippedFile[]
  readonly index: 'ready' | 'building' | 'unavailable'
}

/** Returns what `--json` prints: the fields of `GET /api/v1/search`, and the file of each pack. */
export function describeHits({ page, fileOf, skipped, index }: FoundHits, limit: number): object {
  const { hits, total, corrected } = page
  return {
    ok: true,
    data: hits.map((hit) => ({
      pack: describePack(hit, fileOf(hit)),
      ...describeSection(hit),
      also: hit.also.map(describeSection),
    })),
    meta: {
      total,
      page: 1,
      limit,
      next: null,
      query: { corrected },
      index,
      ...(skipped.length > 0 && { skipped: skipped.map(({ file, problem }) => ({ file, ...problem })) }),
    },
  }
}

function describePack({ pack }: SearchHit, file: string | undefined): object {
  const { id, slug, title, version, domain_slug, difficulty, token_count, rosetta_tokens } = pack
  const fields = { id, slug, title, version, domain_slug, difficulty, token_count, rosetta_tokens }
  return file === undefined ? fields : { ...fields, file }
}

function describeSection({ section, snippet, matched }: SectionHit): object {
  const described = section && {
    id: section.id,
    title: section.title,
    path: section.path,
    tokens: section.tokens,
  }
  return { section: described, snippet, matched }
}

/** Prints the hits for people, and on stderr what they should know about the search. */
export function writeHits({ page, fileOf }: FoundHits, query: string): void {
  const { hits, total, corrected } = page
  if (corrected !== null) writeNote(`Showing results for ${quote(corrected)}`)
  if (hits.length === 0) {
    writeNote(`No results for ${quote(query)}`)
    writeNote(
      'hint: use fewer words, or words that the text itself would use; quotation marks demand a phrase',
    )
    return
  }
  const width = String(hits.length).length
  for (const [index, hit] of hits.entries()) {
    writeResult(formatHit(hit, String(index + 1).padStart(width), fileOf(hit)))
  }
  if (total > hits.length) writeNote(`${hits.length} of ${formatCount(total)} hits; --limit shows more`)
}

function formatHit(hit: SearchHit, rank: string, file: string | undefined): string {
  const { pack, section, snippet, also } = hit
  const indent = ' '.repeat(rank.length + 2)
  const tokens = section?.tokens ?? pack.token_count + pack.rosetta_tokens
  const place = section === null ? pack.slug : `${pack.slug}#${section.id}`
  const details = [place, `${formatCount(tokens)} tokens`, ...(file === undefined ? [] : [file])].map(show)
  const others = also.flatMap((other) => (other.section === null ? [] : `#${other.section.id}`))
  const more = others.length > MAX_ALSO ? ` and ${others.length - MAX_ALSO} more` : ''
  const listed = `also ${others.slice(0, MAX_ALSO).join(' ')}${more}`
  return [
    `${rank}  ${styleResult('bold', nameHit(hit))}  ${styleResult('dim', details.join('  '))}`,
    ...(snippet === null ? [] : [`${indent}${show(snippet)}`]),
    ...(others.length === 0 ? [] : [`${indent}${styleResult('dim', show(listed))}`]),
    '',
  ].join('\n')
}

/** The first heading of most packs is their title. */
function nameHit({ pack, section }: SearchHit): string {
  const path = section?.path ?? []
  const rest = path[0] === pack.title ? path.slice(1) : path
  return [pack.title, ...rest].map(show).join(' › ')
}

/** Puts a text on one line. */
function show(text: string): string {
  return escapeControls(text.replace(/\s+/g, ' ').trim())
}

function quote(text: string): string {
  return `"${show(text)}"`
}
