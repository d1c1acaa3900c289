import { openDocument, type CatalogWork, type ThreadWork } from '@packs/catalog'
import { composePrompt } from '@packs/codec/compose'
import type { Pack } from '@packs/codec/pack'
import type { ComposedPrompt, ComposeOptions, PromptShare } from '@packs/codec/prompt'
import { loadTokenizer } from '@packs/codec/tokens'
import { digestNow, type DigestedBytes } from '../response-cache/body.ts'

/** A prompt to compose from versions, which are named by their sequence. */
export interface PromptTask {
  readonly sequences: readonly number[]
  readonly options: Pick<ComposeOptions, 'scheme' | 'tokenizer' | 'budget' | 'fit'>
  readonly format: 'json' | 'markdown'
}

/** Why there is no prompt. Threads cannot send errors with their properties. */
export interface PromptFault {
  readonly code: 'over_budget' | 'source_too_large'
  readonly message: string
  /** Tokens that the prompt takes, in total and per pack, if it exceeds its budget. */
  readonly tokens: number | undefined
  readonly shares: readonly PromptShare[]
}

/** The serialized prompt, or why there is none. */
export type PromptResult = DigestedBytes | { readonly fault: PromptFault }

/**
 * Reads and checks documents, and composes their prompt.
 *
 * @throws CatalogError `catalog_damaged` if a document differs from what was committed
 * @throws CompressError if the documents cannot be composed for a reason other than their size
 */
export const work: CatalogWork<PromptTask, PromptResult> = async (catalog, task) => {
  const { options, format } = task
  const packs: Pack[] = []
  for (const sequence of task.sequences) {
    const version = await catalog.packs.read(sequence)
    if (version === undefined) throw new Error('A version that was found no longer exists')
    packs.push(openDocument(version))
  }
  const tokenizers =
    options.tokenizer === undefined ? packs.map((pack) => pack.tokenizer) : [options.tokenizer]
  for (const name of new Set(tokenizers)) await loadTokenizer(name)
  try {
    const prompt = composePrompt(packs, options)
    return digestNow(Buffer.from(format === 'markdown' ? prompt.text : writePrompt(prompt, packs)))
  } catch (error) {
    return { fault: describeFault(error) }
  }
}

export const promptWork: ThreadWork<PromptTask, PromptResult> = { module: import.meta.url, work }

function writePrompt(prompt: ComposedPrompt, packs: readonly Pack[]): string {
  const { text, rosetta, terms, state, tokens, tokenizer, scheme, plan, shares, notes } = prompt
  const { sources, asBuilt, together } = plan.costs
  return JSON.stringify({
    text,
    rosetta,
    terms,
    state,
    tokens,
    tokenizer,
    scheme,
    plan: {
      chosen: plan.chosen === 'asBuilt' ? 'as_built' : plan.chosen,
      costs: { sources: sources ?? null, as_built: asBuilt ?? null, together: together ?? null },
    },
    packs: shares.map((share, at) => {
      const { slug, version, pack_digest } = packs[at]!
      return { slug, version, pack_digest, tokens: share.tokens }
    }),
    notes,
  })
}

/** @throws errors that the request did not cause */
function describeFault(error: unknown): PromptFault {
  const { code, message, tokens, shares } = error as Error & PromptFault
  if (code !== 'over_budget' && code !== 'source_too_large') throw error
  return { code, message, tokens, shares }
}
