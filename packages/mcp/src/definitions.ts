import type { Tool } from '@modelcontextprotocol/server'
import { MAX_TOKENS, TOOL_TEXTS } from '@packs/client/agent-tools'

/** A lower one is accepted, but nearly every answer fits into this. */
const ADVISED_MIN_TOKENS = 300

/** All that these tools do is read, and they reach nothing but the packs. */
const annotations = { readOnlyHint: true, openWorldHint: false }

const { search_packs: search, read_pack: read } = TOOL_TEXTS
const maxTokens = { type: 'integer', minimum: ADVISED_MIN_TOKENS, maximum: MAX_TOKENS }

/**
 * The tools as hosts show them to a model, at most 400 tokens of o200k_base in all. The schemas tell models what to send; the
 * arguments are checked by `read-arguments.ts`, whose errors say what to do.
 */
export const toolDefinitions: readonly Tool[] = [
  {
    name: 'search_packs',
    description: search.description,
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: search.query },
        max_tokens: { ...maxTokens, default: search.maxTokens },
      },
      required: ['query'],
    },
    annotations,
  },
  {
    name: 'read_pack',
    description: read.description,
    inputSchema: {
      type: 'object',
      properties: {
        pack: { type: 'string', description: read.pack },
        section: { type: 'string', description: read.section },
        max_tokens: { ...maxTokens, default: read.maxTokens },
      },
      required: ['pack'],
    },
    annotations,
  },
]
