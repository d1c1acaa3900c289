import { openDocument, type CatalogWork, type ThreadWork } from '@packs/catalog'
import { decode, type Scheme } from '@packs/codec'
import type { Pack } from '@packs/codec/pack'
import type { ComposedPrompt, ComposeOptions, PromptDocument, PromptPlan } from '@packs/codec/prompt'
import { loadTokenizer, type TokenizerName } from '@packs/codec/tokens'
import type { Scope } from '../documents/read-document.ts'

/** A section of a version: a part of its body. */
export interface PromptSection {
  readonly sequence: number
  readonly title: string
  readonly start: number
  readonly end: number
}

/** A prompt to compose from versions, which are named by their sequence. */
export interface PromptTask {
  readonly packs: readonly number[]
  /** Plain text after the packs. */
  readonly sections: readonly PromptSection[]
  /** How much of each version its reader may see. */
  readonly scope: Scope
  /** `asBuilt` is for whole packs; previews are always composed. */
  readonly options: Pick<ComposeOptions, 'scheme' | 'tokenizer' | 'asBuilt'>
}

/** A prompt as the pages show it. */
export interface PagePrompt extends Pick<ComposedPrompt, 'text' | 'rosetta' | 'tokens'> {
  readonly tokenizer: TokenizerName
  readonly chosen: PromptPlan
  /** Tokens of the plain sources in the same tags, and of the sections. */
  readonly sources: number
  /** Tokens of each pack in the text, then of each section. */
  readonly shares: readonly number[]
  /** Whether the packs were built for different tokenizers, and one was chosen. */
  readonly isMixed: boolean
  /** Whether the texts are too large to be compressed again, so that the packs are as built. */
  readonly isTooLarge: boolean
  readonly notes: readonly string[]
}

/** The prompt, or why there is none. Threads cannot send errors with their properties. */
export type PromptResult = { readonly prompt: PagePrompt } | { readonly fault: string }

/** UTF-16 units of packs that are compressed together. */
const MAX_COMPRESSED = 1024 * 1024
/** Larger previews are not compressed, so that visitors cause little work. */
const MAX_COMPRESSED_PREVIEW = 256 * 1024
const SCHEMES: readonly Scheme[] = ['none', 'glossary-1', 'dense-1', 'max-1']

/**
 * Reads versions and composes their prompt. For readers of previews it uses nothing but the decoded
 * text of each preview.
 *
 * @throws CatalogError `catalog_damaged` if a document differs from what was committed
 * @throws CompressError if the documents cannot be composed for a reason other than their size
 */
export const work: CatalogWork<PromptTask, PromptResult> = async (catalog, task) => {
  const opened = new Map<number, Pack>()
  const open = async (sequence: number): Promise<Pack> => {
    const version = opened.has(sequence) ? undefined : await catalog.packs.read(sequence)
    if (version !== undefined) opened.set(sequence, openDocument(version))
    const pack = opened.get(sequence)
    if (pack === undefined) throw new Error('A version that was found no longer exists')
    return pack
  }
  const packs: Pack[] = []
  for (const sequence of task.packs) packs.push(await open(sequence))
  const sections: PromptDocument[] = []
  for (const { sequence, title, start, end } of task.sections) {
    const pack = await open(sequence)
    const content = readVisible(pack, task.scope).slice(start, end)
    sections.push({ ...describePlain(pack, content), title: `${pack.title} › ${title}` })
  }
  const names = new Set([...opened.values()].map((pack) => pack.tokenizer))
  const [first = 'o200k_base'] = names
  const tokenizer = task.options.tokenizer ?? (names.size > 1 ? 'o200k_base' : first)
  for (const name of new Set([...names, tokenizer])) await loadTokenizer(name)
  const isMixed = names.size > 1 && task.options.tokenizer === undefined
  try {
    return { prompt: { ...(await compose(packs, sections, tokenizer, task)), isMixed } }
  } catch (error) {
    const { code, message } = error as Error & { readonly code?: unknown }
    if (code === 'source_too_large') return { fault: message }
    throw error
  }
}

export const promptWork: ThreadWork<PromptTask, PromptResult> = { module: import.meta.url, work }

async function compose(
  packs: readonly Pack[],
  sections: readonly PromptDocument[],
  tokenizer: TokenizerName,
  { scope, options }: PromptTask,
): Promise<Omit<PagePrompt, 'isMixed'>> {
  const { composePrompt } = await import('@packs/codec/compose')
  const isWhole = scope === 'full'
  const documents = isWhole ? packs : packs.map((pack) => describePlain(pack, readVisible(pack, scope)))
  const size = documents.reduce((sum, { content }) => sum + content.length, 0)
  const scheme = options.scheme ?? (isWhole ? undefined : findDensest(packs))
  const isTooLarge = isWhole && !options.asBuilt && options.scheme === undefined && size > MAX_COMPRESSED
  const asBuilt = isTooLarge || (isWhole ? options.asBuilt : size > MAX_COMPRESSED_PREVIEW)
  // Without packs, the sections alone are the plain sources.
  const base =
    documents.length > 0
      ? composePrompt(documents, { scheme, tokenizer, asBuilt })
      : composePrompt(sections, { scheme: 'none', tokenizer })
  const shares = base.shares.map(({ tokens }) => tokens)
  const sources = base.plan.costs.sources ?? base.tokens
  const notes = base.notes.map(({ message }) => message)
  const { plan, text, rosetta, tokens } = base
  if (documents.length === 0 || sections.length === 0)
    return { text, rosetta, tokens, tokenizer, chosen: plan.chosen, sources, shares, notes, isTooLarge }
  const { extendPrompt } = await import('@packs/codec/prompt')
  const counter = await loadTokenizer(tokenizer)
  const extended = extendPrompt(base, sections, { scheme: 'none', tokenizer })
  const all = counter.countTokens(extended.text)
  return {
    text: extended.text,
    rosetta: extended.rosetta,
    tokens: all,
    tokenizer,
    chosen: plan.chosen,
    sources: sources + all - tokens,
    shares: [...shares, ...sections.map(({ content }) => counter.countTokens(content))],
    notes,
    isTooLarge,
  }
}

function readVisible({ content, preview_content, rosetta }: Pack, scope: Scope): string {
  return decode(scope === 'full' ? content : preview_content, rosetta)
}

/** Describes a text of a pack as a document of its own, without anything else of the pack. */
function describePlain({ slug, title, format, tokenizer }: Pack, content: string): PromptDocument {
  return { content, rosetta: '[DECODE]', slug, title, format, tokenizer }
}

function findDensest(packs: readonly Pack[]): Scheme {
  return SCHEMES.findLast((scheme) => packs.some(({ compression }) => compression === scheme)) ?? 'none'
}
