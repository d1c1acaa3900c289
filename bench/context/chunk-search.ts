import { decode } from '@packs/codec'
import type { NewVersion } from '@packs/catalog'
import type { Tokenizer } from '@packs/codec/tokens'

const CHUNK_TOKENS = 400
const K1 = 1.2
const B = 0.75

interface Chunk {
  readonly slug: string
  readonly text: string
  readonly tokens: number
  readonly uses: ReadonlyMap<string, number>
  readonly length: number
}

/** Texts that answer a question, and how many tokens they take. */
export interface Answer {
  readonly text: string
  readonly tokens: number
}

/**
 * Creates the yardstick: plain BM25 over chunks of 400 tokens, as many of the best as a budget holds. Chunks end at lines.
 */
export function createChunkSearch(
  versions: readonly NewVersion[],
  tokenizer: Tokenizer,
): (question: string, budget: number) => Answer {
  const chunks = versions.flatMap(({ pack }) =>
    cutChunks(pack.slug, decode(pack.content, pack.rosetta), tokenizer),
  )
  const frequencies = new Map<string, number>()
  for (const { uses } of chunks)
    for (const word of uses.keys()) frequencies.set(word, (frequencies.get(word) ?? 0) + 1)
  const average = chunks.reduce((sum, { length }) => sum + length, 0) / chunks.length
  const weigh = (word: string): number => {
    const found = frequencies.get(word) ?? 0
    return Math.log(1 + (chunks.length - found + 0.5) / (found + 0.5))
  }
  return (question, budget) => {
    const words = [...new Set(splitWords(question))].map((word) => ({ word, weight: weigh(word) }))
    const ranked = chunks
      .map((chunk) => ({ chunk, score: score(chunk, words, average) }))
      .filter((found) => found.score > 0)
      .toSorted((a, b) => b.score - a.score)
    const texts: string[] = []
    let tokens = 0
    for (const { chunk } of ranked) {
      if (tokens + chunk.tokens > budget) break
      tokens += chunk.tokens
      texts.push(chunk.text)
    }
    return { text: texts.join('\n'), tokens }
  }
}

function cutChunks(slug: string, body: string, tokenizer: Tokenizer): Chunk[] {
  const chunks: Chunk[] = []
  let text = ''
  const add = (): void => {
    if (text.trim() === '') return
    const words = splitWords(text)
    const uses = new Map<string, number>()
    for (const word of words) uses.set(word, (uses.get(word) ?? 0) + 1)
    chunks.push({ slug, text, tokens: tokenizer.countTokens(text), uses, length: words.length })
  }
  let tokens = 0
  for (const line of body.split(/(?<=\n)/)) {
    const own = tokenizer.countTokens(line)
    if (tokens + own > CHUNK_TOKENS && text !== '') {
      add()
      text = ''
      tokens = 0
    }
    text += line
    tokens += own
  }
  add()
  return chunks
}

function score(
  { uses, length }: Chunk,
  words: readonly { readonly word: string; readonly weight: number }[],
  average: number,
): number {
  return words.reduce((sum, { word, weight }) => {
    const count = uses.get(word) ?? 0
    return sum + (weight * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / average))
  }, 0)
}

export function splitWords(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => {
    if (!/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]/v.test(word)) return [word]
    return Array.from({ length: Math.max(1, word.length - 2) }, (_, at) => word.slice(at, at + 3))
  })
}
