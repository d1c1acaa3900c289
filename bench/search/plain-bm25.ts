import { decode } from '@packs/codec'
import { splitSections } from '@packs/codec/sections'
import type { NewVersion } from '@packs/catalog'
import type { FoundHit } from './measure-quality.ts'

const K1 = 1.2
const B = 0.75

interface Document {
  readonly slug: string
  readonly section: string
  readonly start: number
  readonly end: number
  readonly uses: ReadonlyMap<string, number>
  readonly length: number
}

/**
 * Creates the yardstick: BM25 over sections, each with the title of its pack and the headings above it, without stems, weights or
 * repair (Robertson, Zaragoza, "The probabilistic relevance framework", 2009). Runs of Han and kana are trigrams.
 */
export function createPlainSearch(versions: readonly NewVersion[]): (query: string) => FoundHit[] {
  const documents = versions.flatMap(({ pack }) => readDocuments(pack))
  const frequencies = new Map<string, number>()
  for (const { uses } of documents)
    for (const word of uses.keys()) frequencies.set(word, (frequencies.get(word) ?? 0) + 1)
  const average = documents.reduce((sum, { length }) => sum + length, 0) / documents.length
  const weigh = (word: string): number => {
    const found = frequencies.get(word) ?? 0
    return Math.log(1 + (documents.length - found + 0.5) / (found + 0.5))
  }
  return (query) => {
    const words = [...new Set(splitWords(query))].map((word) => ({ word, weight: weigh(word) }))
    return documents
      .map((document) => ({ document, score: score(document, words, average) }))
      .filter((found) => found.score > 0)
      .toSorted((a, b) => b.score - a.score)
      .slice(0, 10)
      .map(({ document }) => ({ ...document, also: [] }))
  }
}

function score(
  { uses, length }: Document,
  words: readonly { readonly word: string; readonly weight: number }[],
  average: number,
): number {
  return words.reduce((sum, { word, weight }) => {
    const count = uses.get(word) ?? 0
    return sum + (weight * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / average))
  }, 0)
}

function readDocuments({ slug, title, content, rosetta }: NewVersion['pack']): Document[] {
  const body = decode(content, rosetta)
  return splitSections(body).map(({ id, path, start, end }) => {
    const words = splitWords(`${title} ${path.join(' ')} ${body.slice(start, end)}`)
    const uses = new Map<string, number>()
    for (const word of words) uses.set(word, (uses.get(word) ?? 0) + 1)
    return { slug, section: id, start, end, uses, length: words.length }
  })
}

function splitWords(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => {
    if (!/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]/v.test(word)) return [word]
    return Array.from({ length: Math.max(1, word.length - 2) }, (_, at) => word.slice(at, at + 3))
  })
}
