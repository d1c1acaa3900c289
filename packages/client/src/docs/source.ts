import type { Tokenizer, TokenizerName } from '@packs/codec/compress'
import type { LinkedText, LinkForm } from '@packs/codec/internal'
import type { Difficulty, Pack } from '@packs/codec/pack'
import type { SearchHit } from '../generated/responses.ts'
import type { Context, FoundSection, DocsPack, OutlinedSection, PackIdentity, SearchResult } from './types.ts'

/** Where documents come from: memory, the API of a catalog, or its database. */
export interface DocsSource {
  search(query: string, options: SourceSearchOptions): Promise<SearchResult>
  context(query: string, options: SourceContextOptions): Promise<Context>
  /** @param name `slug`, `slug@range` or an id; the newest version that it allows */
  open(name: string, signal: AbortSignal): Promise<OpenedPack>
  /** Lists packs in the order of their names. */
  list(limit: number, signal: AbortSignal): Promise<readonly DocsPack[]>
}

export interface SourceSearchOptions {
  readonly limit: number
  readonly signal: AbortSignal
  readonly domain?: string | undefined
  readonly difficulty?: Difficulty | undefined
}

export interface SourceContextOptions {
  /** Maximum tokens of the text in o200k_base. */
  readonly budget: number
  readonly links: LinkForm
  readonly signal: AbortSignal
  readonly packs?: readonly string[] | undefined
  readonly fill?: boolean | undefined
}

/** The sections of a pack in order: the first 5,000. */
export interface SectionPage {
  readonly sections: readonly OutlinedSection[]
  /** All sections of the pack. */
  readonly total: number
}

export interface OpenedPack extends PackIdentity {
  readonly tokenizer: TokenizerName
  /** Tokens of the whole text, as `tokenizer` counts them. */
  readonly tokens: number
  /** Whether the reader may see the preview only. */
  readonly locked: boolean
  /** For prompts; absent for a preview, and where nobody composes them. */
  readonly document?: Pack | undefined
  outline(signal: AbortSignal): Promise<SectionPage>
  /** Finds a section, or else the ids that are most like the one that was asked for. */
  find(
    id: string,
    signal: AbortSignal,
  ): Promise<{ readonly section: OutlinedSection | undefined; readonly nearest: readonly string[] }>
  /**
   * Plain text with the addresses of its links: headers of several packs would clash in a
   * conversation.
   * @param part a section that is open
   */
  read(part: SectionPart | undefined, signal: AbortSignal): Promise<LinkedText>
}

/** A section, with or without those below it. */
export interface SectionPart {
  readonly id: string
  readonly subtree: boolean
}

const MAX_QUESTION = 400
const MAX_PHRASES = 4

/** Says what is wrong with a question, and what to do; undefined if nothing is. */
export function findQuestionFault(question: unknown): readonly [fault: string, advice: string] | undefined {
  if (typeof question !== 'string' || !/[\p{L}\p{N}]/u.test(question))
    return ['must have words', 'Write a question or keywords.']
  // A code point has at most two units; a huge text is not split.
  if (question.length > 2 * MAX_QUESTION || Array.from(question).length > MAX_QUESTION)
    return [`must have at most ${MAX_QUESTION} characters`, 'Keep the words that matter.']
  if ((question.match(/"[^"]+"|“[^“”]+”/g) ?? []).length > MAX_PHRASES)
    return [`must have at most ${MAX_PHRASES} phrases in quotation marks`, 'Keep the one that matters.']
  return undefined
}

/** Most sections of an outline. */
export const MAX_OUTLINE = 5000

export type TokenizerLoader = (name: TokenizerName) => Promise<Tokenizer>

/** The tokenizer is large, and only programs that count need it. */
export const loadFromCodec: TokenizerLoader = async (name) =>
  (await import('@packs/codec/compress')).loadTokenizer(name)

/** Returns the fields that name a version. */
export function identify({ pack, version, digest, signer, title }: PackIdentity): PackIdentity {
  return { pack, version, digest, title, ...(signer !== undefined && { signer }) }
}

/** Describes a result of a search, of the engine or of the API. */
export function describeHit({
  pack,
  section,
  snippet,
}: Pick<SearchHit, 'section' | 'snippet'> & {
  readonly pack: Pick<
    SearchHit['pack'],
    'slug' | 'version' | 'pack_digest' | 'title' | 'uncompressed_estimate'
  >
}): FoundSection {
  const { slug, version, pack_digest: digest, title, uncompressed_estimate } = pack
  const names = { pack: slug, version, digest, title, snippet }
  if (section === null)
    return { ...names, section: null, path: [title], tokens: uncompressed_estimate, locked: false }
  const { id, path, tokens } = section
  // Readers of previews get no digest.
  const locked = digest === null && snippet === null
  // The first heading of most packs is the title.
  const whole = path[0] === title ? path : [title, ...path]
  return { ...names, section: id, path: whole, tokens, locked }
}

/** Codes of {@link SourceError}; errors of `@packs/client` keep theirs. */
type SourceErrorCode =
  | 'invalid_arguments' // an argument is missing or invalid, or the shortest answer needs more than `max_tokens`
  | 'pack_not_found' // There is no pack with this name.
  | 'purged_version' // The version, or all of the pack, was erased for good.
  | 'section_not_found' // The version has no section with this id.
  | 'tier_required' // The section is not in the preview, and Free accounts get only the preview. The call is not charged.
  | 'quota_exceeded' // The account has used its quota for this UTC day.
  | 'too_many_requests' // The account requested 60 sections that need another tier within a minute.
  | 'too_many_at_once' // The account has used up its places for calls that run at the same time. The call is not charged.
  | 'unavailable' // The database does not answer, or is busy. The call is not charged.
  | 'internal_error' // The call failed; the log of the server has the reason.
  | 'damaged_pack' // The rows of this pack in the database are damaged.

/** An error that a model can act on. It says nothing that the reader may not see. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  readonly code: SourceErrorCode
  /** What to do. */
  readonly hint: string

  constructor(code: SourceErrorCode, message: string, hint: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.hint = hint
  }
}

export function packNotFoundError(name: string, nearest: readonly string[] = []): SourceError {
  const hint =
    nearest.length === 0
      ? 'Find its name with search_packs.'
      : `Names that are like it: ${nearest.join(', ')}.`
  return new SourceError('pack_not_found', `There is no pack ${quote(name)}.`, hint)
}

/** Writes a text of a caller into a message. */
export function quote(text: string): string {
  return JSON.stringify(text.slice(0, 80).toWellFormed())
}
