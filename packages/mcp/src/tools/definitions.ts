import type { Tool } from '@modelcontextprotocol/server'

/** Tokens of an answer without `max_tokens`. */
export const DEFAULT_SEARCH_TOKENS = 2000
export const DEFAULT_READ_TOKENS = 8000
/** Bounds of `max_tokens`. Every error fits into the lower one; models are told a higher one, into which nearly every answer fits. */
export const MIN_TOKENS = 100
const ADVISED_MIN_TOKENS = 300
export const MAX_TOKENS = 200_000

/** All that these tools do is read, and they reach nothing but the packs. */
const annotations = { readOnlyHint: true, openWorldHint: false }

const maxTokens = { type: 'integer', minimum: ADVISED_MIN_TOKENS, maximum: MAX_TOKENS }

/**
 * The tools as hosts show them to a model, at most 400 tokens of o200k_base in all. The schemas tell models what to send; the
 * arguments are checked by `read-arguments.ts`, whose errors say what to do.
 */
export const toolDefinitions: readonly Tool[] = [
  {
    name: 'search_packs',
    description:
      'Find documentation sections that answer a question, best first. Returns pack names and section ids for read_pack.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'Question or keywords; "quotes" demand a phrase' },
        max_tokens: { ...maxTokens, default: DEFAULT_SEARCH_TOKENS },
      },
      required: ['query'],
    },
    annotations,
  },
  {
    name: 'read_pack',
    description:
      'Read a pack, or one section with those below it. If it exceeds max_tokens, returns the outline with section ids and tokens instead.',
    inputSchema: {
      type: 'object',
      properties: {
        pack: { type: 'string', description: 'Name, e.g. tls-certificates or tls-certificates@^1.2' },
        section: { type: 'string', description: 'Section id' },
        max_tokens: { ...maxTokens, default: DEFAULT_READ_TOKENS },
      },
      required: ['pack'],
    },
    annotations,
  },
]
