import { decode } from '@packs/codec'
import { parsePack } from '@packs/codec/pack'
import * as z from 'zod'
import { summarizePack, type BuildResult, type PromptCost } from '../../output/build-result.ts'
import type { BuildRequest } from '../read-source.ts'
import { ENTRY_FORMAT } from './cache-entry.ts'

const text = z.string().max(100_000)
const count = z.int().min(1)

/** What an entry keeps of a result, besides the pack document. The name of the file is that of the request. */
const partsSchema = z.object({
  format: z.literal(ENTRY_FORMAT),
  entries: z.int().min(0),
  optimality: z.number().min(0).max(1),
  slugPosition: z.object({ line: count, column: count }).nullable(),
  scheme: z.enum(['none', 'glossary-1', 'dense-1', 'max-1']),
  messages: z
    .array(
      z.object({
        line: count.nullable(),
        column: count.nullable(),
        severity: z.enum(['error', 'warning', 'info']),
        rule: text,
        message: text,
        hint: text.nullable(),
        names: z.array(text).max(10_000).exactOptional(),
      }),
    )
    .max(10_000),
})

/**
 * Reads an entry. It counts only if all parts have the right shape, and its pack gives the source back: front matter and decoded body.
 *
 * @param source text of the source
 */
export function parseEntry(
  entry: string,
  { path, shown }: BuildRequest,
  source: string,
): BuildResult | undefined {
  const end = entry.indexOf('\n')
  try {
    const parts = partsSchema.parse(JSON.parse(entry.slice(0, end)))
    const { entries, optimality, slugPosition, scheme, messages } = parts
    const document = entry.slice(end + 1)
    const pack = parsePack(document)
    if ((pack.front_matter ?? '') + decode(pack.content, pack.rosetta) !== source) return undefined
    return {
      path,
      shown,
      pack: summarizePack(pack, entries, optimality),
      slugPosition,
      scheme,
      text: document,
      messages: messages.map((message) => ({ file: shown, ...message })),
    }
  } catch {
    // Whatever is wrong with it, the source is built again.
    return undefined
  }
}

const tokens = count.optional()
const costSchema = z.object({
  format: z.literal(ENTRY_FORMAT),
  tokens: z.int().min(0),
  tokenizer: z.enum(['o200k_base', 'cl100k_base']),
  plan: z.object({
    chosen: z.enum(['sources', 'asBuilt', 'together']),
    costs: z.object({ sources: tokens, asBuilt: tokens, together: tokens }),
  }),
})

/** Reads an entry with the cost of a prompt. */
export function parseCost(entry: string): PromptCost | undefined {
  try {
    const { tokens: total, tokenizer, plan } = costSchema.parse(JSON.parse(entry))
    const { sources, asBuilt, together } = plan.costs
    return {
      tokens: total,
      tokenizer,
      plan: { chosen: plan.chosen, costs: { sources, asBuilt, together } },
    }
  } catch {
    return undefined
  }
}
