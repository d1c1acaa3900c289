import type { Tokenizer } from '@packs/codec/tokens'
import type { Client, Hit } from '../types.ts'

/** Limits of one answer. */
export interface AnswerOptions {
  /** Most tokens of its text. */
  readonly most: number
  readonly tokenizer: Tokenizer
  readonly signal: AbortSignal | undefined
}

/** What `search_packs` returns. */
export interface SearchAnswer {
  /** One line for each hit. */
  readonly text: string
  readonly hits: readonly {
    readonly pack: string
    readonly version: string
    readonly pack_digest: string | null
    readonly section: string | null
    readonly tokens: number
  }[]
}

const MAX_HITS = 10

/** Answers a call of `search_packs`: one line for each hit, as many as fit. */
export async function searchPacks(
  catalog: Client,
  query: string,
  { most, tokenizer, signal }: AnswerOptions,
): Promise<SearchAnswer> {
  const lines: string[] = []
  const hits: SearchAnswer['hits'][number][] = []
  for await (const hit of catalog.search(query, { limit: MAX_HITS, signal })) {
    const { pack, section } = hit
    const tokens = section?.tokens ?? pack.uncompressed_estimate
    const line = cutText(`${lines.length + 1}. ${writeHit(hit, tokens)}`, most, tokenizer)
    if (tokenizer.countTokens([...lines, line].join('\n')) > most) break
    lines.push(line)
    const { slug, version, pack_digest } = pack
    hits.push({ pack: slug, version, pack_digest, section: section?.id ?? null, tokens })
  }
  const nothing = 'No section answers this. Use fewer words, or words that the text itself would use.'
  return { text: lines.join('\n') || nothing, hits }
}

function writeHit({ pack, section, snippet }: Hit, tokens: number): string {
  const place = section === null ? 'whole pack' : `section ${section.id}`
  const path = [...new Set([pack.title, ...(section?.path ?? [])])].join(' › ')
  const text = snippet === null ? '' : `: ${snippet}`
  return joinLines(`${pack.slug}@${pack.version} ${place} (${tokens} tokens) ${path}${text}`)
}

/** Returns the beginning of a text that has at most `most` tokens. */
function cutText(text: string, most: number, tokenizer: Tokenizer): string {
  let cut = text
  while (tokenizer.countTokens(cut) > most) cut = cut.slice(0, Math.floor(cut.length * 0.9))
  return cut.toWellFormed()
}

/** Puts a text on one line. */
export function joinLines(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}
