// An agent without packs of its own: it searches the catalog, reads the sections that answer within a budget of tokens, and answers.
// It caches the responses, and uses them while the service is in recovery mode or unreachable.
//
//     PACK_URL=http://127.0.0.1:8080 PACK_KEY=kp_… npx node examples/search-catalog.ts 'Why does a certificate chain fail?' 800
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mayCarryKey } from '@packs/client'
import { decode } from '@packs/codec'
import { composePrompt, loadTokenizer } from '@packs/codec/compress'

interface FoundSection {
  readonly section: { readonly id: string; readonly path: readonly string[]; readonly tokens: number } | null
  readonly snippet: string | null
}

interface Hit extends FoundSection {
  readonly pack: {
    readonly slug: string
    readonly title: string
    readonly token_count: number
    readonly rosetta_tokens: number
  }
  readonly also: readonly FoundSection[]
}

interface Search {
  readonly data: readonly Hit[]
  readonly meta: { readonly query: { readonly corrected: string | null } }
}

/** A part of the context: a section, or only a snippet where the tier may not read it. */
interface Part {
  readonly title: string
  readonly slug: string
  readonly content: string
  readonly rosetta: string
  readonly token_count: number
  readonly rosetta_tokens: number
  readonly uncompressed_estimate: number
}

/** An error of the API. */
class ProblemError extends Error {
  readonly code: string

  constructor(code: string, detail: string) {
    super(`${code}: ${detail}`)
    this.code = code
  }
}

const {
  PACK_URL: url = 'http://127.0.0.1:8080',
  PACK_KEY: key = '',
  PACK_CACHE: cache = '.packs/agent',
} = process.env
const question = process.argv[2] ?? 'Why does a certificate chain fail?'
const budget = Number(process.argv[3] ?? 1200)
if (!Number.isInteger(budget) || budget < 1) {
  console.error('usage: search-catalog.ts [QUESTION] [BUDGET], with a budget in tokens')
  process.exit(2)
}
if (key !== '' && !mayCarryKey(url)) {
  console.error('PACK_KEY is sent over https, and over http to this machine only: correct PACK_URL.')
  process.exit(2)
}
const tokenizer = await loadTokenizer('o200k_base')

const { data, meta } = await search(question)
if (meta.query.corrected !== null) console.log(`Searched  ${meta.query.corrected}`)
const parts = await readParts(data)
if (parts.length === 0) console.log(`The catalog has nothing within ${budget} tokens for: ${question}`)
else await answer(parts)

function search(text: string): Promise<Search> {
  const query = new URLSearchParams({ q: text, max_tokens: String(budget), limit: '8' })
  return getJson<Search>(`/api/v1/search?${query.toString()}`)
}

/** Reads the sections of the hits, best first, as long as the prompt stays within the budget. */
async function readParts(hits: readonly Hit[]): Promise<readonly Part[]> {
  const read: Part[] = []
  for (const { pack, also, ...own } of hits) {
    for (const found of [own, ...also]) {
      const part = found.section && (await readPart(pack, found))
      if (part && tokenizer.countTokens(await composeText([...read, part])) <= budget) read.push(part)
    }
  }
  return read
}

/** Returns a section with the header that decodes it, or its snippet if it is for Pro accounts. */
async function readPart(
  { slug, title: packTitle }: Hit['pack'],
  { section, snippet }: FoundSection,
): Promise<Part | undefined> {
  const title = [...new Set([packTitle, ...section!.path])].join(' › ')
  try {
    const path = `/api/v1/packs/${slug}/sections/${encodeURIComponent(section!.id)}`
    return { ...(await getJson<Part>(path)), title, slug }
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'tier_required') throw error
    if (snippet === null) return undefined
    const tokens = tokenizer.countTokens(snippet)
    const counts = { token_count: tokens, rosetta_tokens: 0, uncompressed_estimate: tokens }
    return { title: `${title} (snippet)`, slug, content: snippet, rosetta: '[DECODE]', ...counts }
  }
}

/** Writes one prompt of all parts. */
async function composeText(read: readonly Part[]): Promise<string> {
  return (await composePrompt(read)).text
}

async function answer(read: readonly Part[]): Promise<void> {
  const { text, rosetta } = await composePrompt(read)
  for (const { title, token_count, rosetta_tokens } of read)
    console.log(`Read      ${title}, ${token_count + rosetta_tokens} tokens`)
  const slugs = new Set(read.map(({ slug }) => slug))
  const packs = new Map(data.map(({ pack }) => [pack.slug, pack.token_count + pack.rosetta_tokens]))
  const whole = [...slugs].reduce((sum, slug) => sum + (packs.get(slug) ?? 0), 0)
  console.log(`Tokens    ${tokenizer.countTokens(text)} of ${budget}; the whole packs take ${whole}`)
  console.log(`Question  ${question}`)
  console.log(`Answer    ${askModel(decode(text, rosetta), question)}`)
}

/** Replaces a model, which reads terms as their expansions: quotes the line that shares the most words with the question. */
function askModel(prompt: string, user: string): string {
  const asked = user.toLowerCase().match(/\p{L}{4,}/gu) ?? []
  const lines = prompt
    .split('\n')
    .filter((line) => line.length > 60 && !/^(?:\[DECODE\]|Read every)/.test(line))
  const score = (line: string): number => asked.filter((word) => line.toLowerCase().includes(word)).length
  return lines.toSorted((a, b) => score(b) - score(a))[0] ?? ''
}

/**
 * Returns JSON from the catalog or from the cache. The tag of the cached copy is sent, because a 304 is not charged to the quota.
 * In recovery mode, or if the service is unreachable or the quota used up, the cached copy is returned.
 */
async function getJson<T>(path: string): Promise<T> {
  const file = join(cache, `${encodeURIComponent(path).slice(0, 200)}.json`)
  const cached = await readCached(file, path)
  try {
    const headers = { 'x-api-key': key, ...(cached && { 'if-none-match': cached.etag }) }
    const response = await fetch(`${url}${path}`, { headers, redirect: 'error' })
    if (response.status === 304 && cached) return cached.body as T
    if (response.ok) {
      const body = (await response.json()) as T
      await mkdir(cache, { recursive: true })
      await writeFile(file, JSON.stringify({ path, etag: response.headers.get('etag'), body }))
      return body
    }
    const problem = (await response.json()) as { code: string; detail: string }
    if (response.status < 500 && response.status !== 429) throw new ProblemError(problem.code, problem.detail)
    return useCached<T>(cached, path, `${problem.code}, ${problem.detail}`)
  } catch (error) {
    // `fetch` throws a TypeError if there is no connection.
    if (!(error instanceof TypeError)) throw error
    return useCached<T>(cached, path, 'the service is unreachable')
  }
}

interface CachedResponse {
  readonly path: string
  readonly etag: string
  readonly body: unknown
}

/** Names of files are cut, so the copy says what it is of. */
async function readCached(file: string, path: string): Promise<CachedResponse | undefined> {
  try {
    const cached = JSON.parse(await readFile(file, 'utf8')) as CachedResponse
    return cached.path === path ? cached : undefined
  } catch {
    return undefined
  }
}

function useCached<T>(cached: CachedResponse | undefined, path: string, reason: string): T {
  if (cached === undefined)
    throw new Error(`${path} is not available (${reason}), and there is no cached copy`)
  console.log(`From the cache, because the catalog is not available (${reason}): ${path}`)
  return cached.body as T
}
