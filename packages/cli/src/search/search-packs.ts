import type { Tokenizer, TokenizerName } from '@packs/codec/compress'
import {
  indexTexts,
  openIndex,
  search,
  type SearchHit,
  type SearchPage,
  type SearchQuery,
  type SectionHit,
  type TextIndex,
} from '@packs/search'
import { CliError } from '../cli-error.ts'
import { mapInTurn } from '../output/progress.ts'
import { describeError, type Problem } from '../output/report-error.ts'
import { type FoundFile, MAX_PACK_BYTES, openPack, type OpenedPack, readBounded } from '@packs/files'
import { hash } from 'node:crypto'
import { loadStoredIndex, type StoredIndex } from '../user-cache/stored-results.ts'
import { formatCount, escapeControls, styleResult, writeNote, writeResult } from '../output/terminal.ts'

export interface PackSearch extends SearchPage {
  readonly skipped: readonly SkippedFile[]
  readonly fileOf: (hit: SearchHit) => string
}

interface Notes {
  /** Names of the files of the packs, by their numbers. */
  readonly names: readonly string[]
  readonly skipped: readonly SkippedFile[]
}

/** The index of the packs is kept in the user's cache. */
export async function searchPacks(
  files: readonly PackFile[],
  query: SearchQuery,
  isQuiet: boolean,
): Promise<PackSearch> {
  const inputs = ['search', files.map(({ shown, digest }) => [shown, digest])]
  const stored = await loadStoredIndex(inputs, () => buildIndex(files, isQuiet))
  const { names, skipped } = stored.notes
  const [first] = skipped
  if (names.length === 0 && first !== undefined) {
    const count = skipped.length === 1 ? '' : ` and ${skipped.length - 1} more cannot be read`
    throw new CliError('no_packs', `no pack to search: ${first.problem.message}${count}`, first.problem.hint)
  }
  const index = openIndex(stored.index)
  const page = await search(index.store, index.texts, query)
  return {
    ...page,
    hits: await Promise.all(page.hits.map((hit) => countHit(hit, index))),
    skipped,
    fileOf: ({ pack }) => names[pack.number]!,
  }
}

async function buildIndex(files: readonly PackFile[], isQuiet: boolean): Promise<StoredIndex<Notes>> {
  const { packs, skipped } = await openPacks(files, isQuiet)
  return { index: indexTexts(packs), notes: { names: packs.map(({ shown }) => shown), skipped } }
}

async function countHit(hit: SearchHit, index: TextIndex): Promise<SearchHit> {
  const { number } = hit.pack
  if ([hit, ...hit.also].every(({ section }) => section === null)) return hit
  const tokenizer = await loadTokenizer(index.readPack(number).tokenizer)
  const count = <Found extends SectionHit>(found: Found): Found => {
    if (found.section === null) return found
    const { id, title, path } = found.section
    const tokens = tokenizer.countTokens(readSection(index, number, id))
    return { ...found, section: { id, title, path, tokens } }
  }
  return { ...count(hit), also: hit.also.map(count) }
}

function readSection({ readPack, readText }: TextIndex, number: number, id: string | undefined): string {
  const section = readPack(number).sections.find((one) => one.id === id)
  return readText(number).text.slice(section?.start, section?.end)
}

/** Its modules are not loaded before something is counted. */
async function loadTokenizer(name: TokenizerName): Promise<Tokenizer> {
  const { loadTokenizer: load } = await import('../user-cache/load-tokenizer.ts')
  return load(name)
}

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

interface SkippedFile {
  readonly file: string
  readonly problem: Problem
}

interface PackFile {
  readonly shown: string
  /** SHA-256 of its bytes, or the message of the error of reading it. */
  readonly digest: string
  /** @throws FilesError as {@link readBounded} does */
  readonly read: () => Promise<Uint8Array>
}

/** Reads files. What `read` returns fits the `digest`, even if the file changes later. */
export function readPackFiles(files: readonly FoundFile[], isQuiet: boolean): Promise<PackFile[]> {
  return mapInTurn('reading', files, isQuiet, async ({ path, shown }) => {
    const reading = readBounded(path, MAX_PACK_BYTES, shown)
    const digest = await reading.then(
      (bytes) => hash('sha256', bytes),
      (error: Error) => error.message,
    )
    return { shown, digest, read: () => reading }
  })
}

/** Decodes packs. Those that are damaged are skipped. */
async function openPacks(
  files: readonly PackFile[],
  isQuiet: boolean,
): Promise<{ readonly packs: readonly OpenedPack[]; readonly skipped: readonly SkippedFile[] }> {
  const skipped: SkippedFile[] = []
  const packs = await mapInTurn('decoding', files, isQuiet, async ({ shown, read }) => {
    try {
      return await openPack(await read(), shown, { loadTokenizer })
    } catch (error) {
      const problem = describeError(error)
      if (problem.code === 'internal') throw error
      skipped.push({ file: shown, problem })
      return []
    }
  })
  return { packs: packs.flat(), skipped }
}
