// An agent without packs of its own: it searches the catalog, downloads packs that fit its budget, decodes and answers.
// It caches the responses, and uses them while the service is in recovery mode or unreachable.
//
//     PACK_URL=http://127.0.0.1:8080 PACK_KEY=kp_… npx node examples/search-catalog.ts 'Why does a certificate chain fail?'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decode, systemPrompt } from '@packs/codec'

interface FoundPack {
  readonly slug: string
  readonly title: string
  readonly token_count: number
  readonly rosetta_tokens: number
}

interface FullPack extends FoundPack {
  readonly preview: boolean
  readonly content: string
  readonly rosetta: string | null
}

const {
  PACK_URL: url = 'http://127.0.0.1:8080',
  PACK_KEY: key = '',
  PACK_CACHE: cache = '.packs/agent',
} = process.env
const question = process.argv[2] ?? 'Why does a certificate chain fail?'
const budget = 8000

const found = await searchPacks(question)
const packs = await Promise.all(found.map((pack) => readPack(pack.slug)))
if (packs.length === 0)
  console.log(`No title in the catalog contains a significant word of the question: ${question}`)
else answer(packs)

/** Searches for one word after the other, the longest first, until a title contains it. */
async function searchPacks(text: string): Promise<readonly FoundPack[]> {
  for (const word of listWords(text).toSorted((a, b) => b.length - a.length)) {
    const query = new URLSearchParams({ search: word, max_tokens: String(budget), limit: '3' })
    const { data } = await getJson<{ data: FoundPack[] }>(`/api/v1/packs?${query.toString()}`)
    if (data.length > 0) return data
  }
  return []
}

/** Returns the significant words: those with four letters or more, abbreviations, and words of other scripts than Latin. */
function listWords(text: string): string[] {
  const isSignificant = /^(?:\p{L}{4,}|\p{Lu}{2,}|\P{Script=Latin}{2,})$/u
  const parts = [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)]
  return parts.map(({ segment }) => segment).filter((word) => isSignificant.test(word) && /\p{L}/u.test(word))
}

function readPack(slug: string): Promise<FullPack> {
  return getJson<FullPack>(`/api/v1/packs/${slug}`)
}

/**
 * Returns JSON from the catalog or from the cache. The tag of the cached copy is sent, because a 304 is not charged to the quota.
 * In recovery mode, or if the service is unreachable or the quota used up, the cached copy is returned.
 */
async function getJson<T>(path: string): Promise<T> {
  const file = join(cache, `${encodeURIComponent(path)}.json`)
  const cached = await readCached(file)
  try {
    const headers = { 'x-api-key': key, ...(cached && { 'if-none-match': cached.etag }) }
    const response = await fetch(`${url}${path}`, { headers })
    if (response.status === 304 && cached) return cached.body as T
    if (response.ok) {
      const body = (await response.json()) as T
      await mkdir(cache, { recursive: true })
      await writeFile(file, JSON.stringify({ etag: response.headers.get('etag'), body }))
      return body
    }
    const problem = (await response.json()) as { code: string; detail: string }
    if (response.status < 500 && response.status !== 429)
      throw new Error(`${problem.code}: ${problem.detail}`)
    return useCached<T>(cached, path, `${problem.code}, ${problem.detail}`)
  } catch (error) {
    // `fetch` throws a TypeError if there is no connection.
    if (!(error instanceof TypeError)) throw error
    return useCached<T>(cached, path, 'the service is unreachable')
  }
}

interface CachedResponse {
  readonly etag: string
  readonly body: unknown
}

async function readCached(file: string): Promise<CachedResponse | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as CachedResponse
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

function answer(read: readonly FullPack[]): void {
  const whole = read.map(({ title, content, rosetta }) => ({
    title,
    content,
    rosetta: rosetta ?? '[DECODE]',
  }))
  const { text, rosetta } = systemPrompt(whole)
  for (const { title, token_count, rosetta_tokens, preview } of read) {
    console.log(
      `Read      ${title}${preview ? ' (the first fifth)' : `, ${token_count} + ${rosetta_tokens} tokens`}`,
    )
  }
  console.log(`Question  ${question}`)
  console.log(`Answer    ${decode(askModel(text, question), rosetta)}`)
}

/** Replaces a model: quotes the line of the prompt that shares the most words with the question. */
function askModel(prompt: string, user: string): string {
  const asked = user.toLowerCase().match(/\p{L}{4,}/gu) ?? []
  const lines = prompt.split('\n').filter((line) => line.length > 60 && !line.startsWith('[DECODE]'))
  const score = (line: string): number => asked.filter((word) => line.toLowerCase().includes(word)).length
  return lines.toSorted((a, b) => score(b) - score(a))[0] ?? ''
}
