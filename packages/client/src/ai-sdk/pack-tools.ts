import type { Tokenizer } from '@packs/codec/tokens'
import type { Tool } from 'ai'
import { z } from 'zod'
import { describeForModel } from '../model-errors.ts'
import type { Client } from '../types.ts'
import { readPack, type ReadAnswer } from './read-pack.ts'
import { searchPacks, type SearchAnswer } from './search-packs.ts'

/** The tools of {@link packTools}. */
export interface PackTools {
  readonly search_packs: Tool<{ query: string; max_tokens?: number | undefined }, SearchAnswer>
  readonly read_pack: Tool<
    { pack: string; section?: string | undefined; max_tokens?: number | undefined },
    ReadAnswer
  >
  readonly [name: string]: Tool
}

/** Bounds of `max_tokens`; each shortest answer fits into the lower one. */
const MIN_TOKENS = 100
const MAX_TOKENS = 200_000
const maxTokens = z.int().min(MIN_TOKENS).max(MAX_TOKENS)

/**
 * Creates two tools of AI SDK 7 with which a model searches a catalog and reads packs and sections: `search_packs` and `read_pack`, as
 * hosts of MCP know them. A model gets the text of an answer, at most `max_tokens` of o200k_base; the output of the tool also names
 * pack, version and digest, for logs.
 *
 * Texts are plain: a header of their own would give terms another meaning than the header that the middleware `packs` decodes with.
 * An error of the catalog becomes an error of the tool, which tells the model what to do.
 *
 * @example
 * const catalog = createClient({ url, key })
 * await generateText({ model, tools: packTools(catalog), stopWhen: isStepCount(5), prompt: question })
 */
export function packTools(catalog: Client): PackTools {
  return {
    search_packs: {
      description:
        'Find documentation sections that answer a question, best first. Returns pack names and section ids for read_pack.',
      inputSchema: z.object({
        query: z
          .string()
          .max(1000)
          .regex(/[\p{L}\p{N}]/u)
          .describe('Question or keywords; "quotes" demand a phrase'),
        max_tokens: maxTokens.default(2000),
      }),
      execute: ({ query, max_tokens: most = 2000 }, { abortSignal: signal }) =>
        explain(async () => searchPacks(catalog, query, { most, signal, tokenizer: await loadTokenizer() })),
      toModelOutput,
    },
    read_pack: {
      description:
        'Read a pack, or one section with those below it. If it exceeds max_tokens, returns the outline with section ids and tokens instead.',
      inputSchema: z.object({
        pack: z.string().max(500).describe('Name, e.g. tls-certificates or tls-certificates@^1.2'),
        section: z.string().max(500).optional().describe('Section id'),
        max_tokens: maxTokens.default(8000),
      }),
      execute: ({ pack, section, max_tokens: most = 8000 }, { abortSignal: signal }) =>
        explain(async () =>
          readPack(catalog, { pack, section }, { most, signal, tokenizer: await loadTokenizer() }),
        ),
      toModelOutput,
    },
  }
}

/** The tokenizer is large, and only agents that call a tool need it. */
async function loadTokenizer(): Promise<Tokenizer> {
  const tokens = await import('@packs/codec/tokens')
  return tokens.loadTokenizer('o200k_base')
}

function toModelOutput({ output }: { output: { readonly text: string } }): { type: 'text'; value: string } {
  return { type: 'text', value: output.text }
}

/** Writes an error of the catalog for a model, which sees the message only. */
async function explain<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const described = describeForModel(error)
    if (described === undefined) throw error
    const { code, message, hint } = described
    throw new Error(`${message} ${hint} (${code})`, { cause: error })
  }
}
