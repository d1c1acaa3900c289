// An agent that knows no pack beforehand: it searches the catalog, downloads what fits its budget, decodes and answers.
// What it has read it keeps, so that it answers while the service is in recovery mode or away.
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
if (packs.length === 0) console.log(`No title in the catalog has a telling word of the question: ${question}`)
else answer(packs)

/** Asks for one word after the other, the longest first, until a title has it. */
async function searchPacks(text: string): Promise<readonly FoundPack[]> {
  for (const word of listWords(text).toSorted((a, b) => b.length - a.length)) {
    const query = new URLSearchParams({ search: word, max_tokens: String(budget), limit: '3' })
    const { data } = await getJson<{ data: FoundPack[] }>(`/api/v1/packs?${query.toString()}`)
    if (data.length > 0) return data
  }
  return []
}

/** Words that say what a text is about: those from four letters up, abbreviations, and those of other scripts than Latin. */
function listWords(text: string): string[] {
  const isTelling = /^(?:\p{L}{4,}|\p{Lu}{2,}|\P{Script=Latin}{2,})$/u
  const parts = [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)]
  return parts.map(({ segment }) => segment).filter((word) => isTelling.test(word) && /\p{L}/u.test(word))
}

function readPack(slug: string): Promise<FullPack> {
  return getJson<FullPack>(`/api/v1/packs/${slug}`)
}

/**
 * Gets JSON, from the catalog or as it was got last. With the tag of what is kept, an answer that is right still costs
 * nothing of the allowance. In recovery mode, and where nobody answers, what is kept is all there is.
 */
async function getJson<T>(path: string): Promise<T> {
  const file = join(cache, `${encodeURIComponent(path)}.json`)
  const kept = await readKept(file)
  try {
    const headers = { 'x-api-key': key, ...(kept && { 'if-none-match': kept.etag }) }
    const answer = await fetch(`${url}${path}`, { headers })
    if (answer.status === 304 && kept) return kept.body as T
    if (answer.ok) {
      const body = (await answer.json()) as T
      await mkdir(cache, { recursive: true })
      await writeFile(file, JSON.stringify({ etag: answer.headers.get('etag'), body }))
      return body
    }
    const problem = (await answer.json()) as { code: string; detail: string }
    if (answer.status < 500 && answer.status !== 429) throw new Error(`${problem.code}: ${problem.detail}`)
    return takeKept<T>(kept, path, `${problem.code}, ${problem.detail}`)
  } catch (error) {
    // `fetch` says so where no connection comes about.
    if (!(error instanceof TypeError)) throw error
    return takeKept<T>(kept, path, 'nobody answers')
  }
}

interface Kept {
  readonly etag: string
  readonly body: unknown
}

async function readKept(file: string): Promise<Kept | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Kept
  } catch {
    return undefined
  }
}

function takeKept<T>(kept: Kept | undefined, path: string, reason: string): T {
  if (kept === undefined) throw new Error(`${path} cannot be had (${reason}), and there is no copy of it`)
  console.log(`From the copy, as the catalog does not answer (${reason}): ${path}`)
  return kept.body as T
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

/** Stands in for a model: quotes the line of the prompt that has most words in common with the question. */
function askModel(prompt: string, user: string): string {
  const asked = user.toLowerCase().match(/\p{L}{4,}/gu) ?? []
  const lines = prompt.split('\n').filter((line) => line.length > 60 && !line.startsWith('[DECODE]'))
  const score = (line: string): number => asked.filter((word) => line.toLowerCase().includes(word)).length
  return lines.toSorted((a, b) => score(b) - score(a))[0] ?? ''
}
