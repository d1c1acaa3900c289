import type { SearchHit, SectionHit } from '@packs/search'
import { formatCount, escapeControls, styleResult, writeNote, writeResult } from '../output/terminal.ts'
import type { PackSearch } from './search-packs.ts'

/** Further sections of a pack that are named. */
const MAX_ALSO = 3

/** Returns what `--json` prints: the fields of `GET /api/v1/search`, and the file of each pack. */
export function describeHits({ hits, total, corrected, skipped, fileOf }: PackSearch, limit: number): object {
  return {
    ok: true,
    data: hits.map((hit) => ({
      pack: { ...describePack(hit), file: fileOf(hit) },
      ...describeSection(hit),
      also: hit.also.map(describeSection),
    })),
    meta: {
      total,
      page: 1,
      limit,
      next: null,
      query: { corrected },
      index: 'ready',
      ...(skipped.length > 0 && { skipped: skipped.map(({ file, problem }) => ({ file, ...problem })) }),
    },
  }
}

function describePack({ pack }: SearchHit): object {
  const { id, slug, title, version, domain_slug, difficulty, token_count, rosetta_tokens } = pack
  return { id, slug, title, version, domain_slug, difficulty, token_count, rosetta_tokens }
}

function describeSection({ section, snippet, matched }: SectionHit): object {
  return { section, snippet, matched }
}

/** Prints the hits for people, and on stderr what they should know about the search. */
export function writeHits({ hits, total, corrected, fileOf }: PackSearch, query: string): void {
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

function formatHit(hit: SearchHit, rank: string, file: string): string {
  const { pack, section, snippet, also } = hit
  const indent = ' '.repeat(rank.length + 2)
  const tokens = section?.tokens ?? pack.token_count + pack.rosetta_tokens
  const name = section === null ? pack.slug : `${pack.slug}#${section.id}`
  const details = [name, `${formatCount(tokens)} tokens`, file].map(show)
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

function show(text: string): string {
  return escapeControls(text.replace(/\s+/g, ' ').trim())
}

function quote(text: string): string {
  return `"${show(text)}"`
}
