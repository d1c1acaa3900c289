/** Bounds of `max_tokens`. Every error fits into the lower one. */
export const MIN_TOKENS = 100
export const MAX_TOKENS = 200_000

/** What a model is told of the tools and their arguments, and the tokens of an answer without `max_tokens`. */
export const TOOL_TEXTS = {
  search_packs: {
    description:
      'Find documentation sections that answer a question, best first. Returns pack names and section ids for read_pack.',
    query: 'Question or keywords; "quotes" demand a phrase',
    maxTokens: 2000,
  },
  read_pack: {
    description:
      'Read a pack, or one section with those below it. If it exceeds max_tokens, returns the outline with section ids and tokens instead.',
    pack: 'Name, e.g. tls-certificates or tls-certificates@^1.2',
    section: 'Section id',
    maxTokens: 8000,
  },
} as const
