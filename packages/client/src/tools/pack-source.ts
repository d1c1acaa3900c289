import type { TokenizerName } from '@packs/codec/compress'
import type { ChoosableVersion, LinkedText, LinkForm } from '@packs/codec/internal'
import { errorAdvice } from '../error-advice.ts'

/** A catalog, a lock, a folder. Methods may reject with a {@link SourceError}. */
export interface PackSource {
  /** Returns the sections and packs that answer a question, best first. */
  search(query: string, options: SearchOptions): Promise<readonly SectionHit[]>
  /** `undefined` if the source cannot, for example because its index is damaged. */
  context(query: string, options: ContextOptions): Promise<SourceContext | undefined>
  /** @param name `slug`, `slug@range` or an id; the newest version that it allows */
  open(name: string, signal: AbortSignal): Promise<OpenedPack>
}

export interface SearchOptions {
  /** Most hits. */
  readonly limit: number
  readonly signal: AbortSignal
}

export interface ContextOptions {
  /** Maximum tokens of the text in o200k_base. */
  readonly budget: number
  /** Whether the text as a JSON string must be within the budget too. */
  readonly isQuoted: boolean
  readonly links: LinkForm
  readonly signal: AbortSignal
}

/** Passages that answer a question. */
export interface SourceContext {
  /** The passages in tags; empty if there are none. */
  readonly text: string
  /** The address of each number in the text. */
  readonly links: Readonly<Record<string, string>>
  /** Tokens of the text. */
  readonly tokens: number
  readonly passages: readonly SourcePassage[]
  /** Sections that match too, best first. */
  readonly omitted: readonly SectionHit[]
  /** The question with unknown words replaced; `null` if none was. */
  readonly corrected: string | null
  /** Tokens of the smallest passage, if none fits and the source knows it. */
  readonly needed?: number | null
  /** Whether it is an earlier answer, because the catalog is not available. */
  readonly isStale?: boolean | undefined
}

interface SourcePassage extends Omit<PackIdentity, 'title'> {
  /** Ids of its sections, which follow one another. */
  readonly sections: readonly string[]
  readonly path: readonly string[]
  readonly tokens: number
}

/** Names a version, so that a log says what a model saw. */
export interface PackIdentity {
  readonly slug: string
  readonly version: string
  /** `undefined` if it is not known, as for the preview of a Free account. */
  readonly digest: string | undefined
  /** Of the verified key that signed it; absent if it is unsigned or not known. */
  readonly signer?: string
  readonly title: string
}

/** A section that answers a question, or a pack as a whole. */
export interface SectionHit extends PackIdentity {
  readonly section: { readonly id: string; readonly path: readonly string[] } | null
  /** Tokens as plain text. */
  readonly tokens: number
  /** `null` if the reader may not see the text, or if it cannot be read. */
  readonly snippet: string | null
  /** Whether the section needs another tier, as far as the source knows. @default false */
  readonly isLocked?: boolean
  /** Whether the source reads pinned versions only, and this is none of them. @default false */
  readonly isUnpinned?: boolean
}

export interface OutlineEntry {
  readonly id: string
  readonly title: string
  /** From 1 to 6; 0 for the text before the first heading. */
  readonly level: number
  /** Tokens as plain text, alone and with the sections below it. */
  readonly tokens: number
  readonly subtreeTokens: number
  /** Whether the reader may see its text. */
  readonly isOpen: boolean
}

/** The sections of a pack in order: the first 5,000. */
export interface PackOutline {
  readonly sections: readonly OutlineEntry[]
  /** All sections of the pack. */
  readonly total: number
}

export interface OpenedPack extends PackIdentity {
  readonly tokenizer: TokenizerName
  /** Tokens of the whole text, as `tokenizer` counts them. */
  readonly tokens: number
  /** Whether the reader may see the preview only. */
  readonly isPreview: boolean
  outline(signal: AbortSignal): Promise<PackOutline>
  /** Finds a section, or else the ids that are most like the one that was asked for. */
  find(
    id: string,
    signal: AbortSignal,
  ): Promise<{ readonly section: OutlineEntry | undefined; readonly nearest: readonly string[] }>
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

/** Most sections of an outline. */
export const MAX_OUTLINE = 5000

/** Codes of {@link SourceError}; errors of `@packs/client` keep theirs. */
type SourceErrorCode =
  | 'invalid_arguments' // an argument is missing or invalid, or the shortest answer needs more than `max_tokens`
  | 'pack_not_found' // There is no pack with this name.
  | 'no_matching_version' // No version of the pack is in the range.
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

/** @param versions newest first */
export function noMatchingVersionError(name: string, versions: readonly ChoosableVersion[]): SourceError {
  const message = `No version of the pack fits ${quote(name)}.`
  const visible = versions.filter(({ yanked }) => !yanked).map(({ version }) => version)
  return new SourceError('no_matching_version', message, `Versions: ${visible.slice(0, 5).join(', ')}.`)
}

/** Writes a text of a caller into a message. */
function quote(text: string): string {
  return JSON.stringify(text.slice(0, 80).toWellFormed())
}

export interface Explanation {
  readonly code: string
  readonly message: string
  /** What to do. */
  readonly hint: string
}

const MAX_MESSAGE = 200

/**
 * Explains an error to a model that has called a tool; undefined for errors of others.
 * @param otherwise hint where the model can do nothing; that of the error if absent
 */
export function explainError(error: unknown, otherwise?: string): Explanation | undefined {
  if (error instanceof SourceError) return error
  if (!isExplained(error)) return undefined
  const { code, message, hint } = error
  const cut = message.slice(0, MAX_MESSAGE).replace(/\s+/gu, ' ').toWellFormed()
  // Hints of errors are for developers: they name options and methods.
  const advice = Object.hasOwn(errorAdvice, code) ? errorAdvice[code]!.model : undefined
  return { code, message: cut, hint: advice ?? otherwise ?? hint }
}

/** Errors of sources, clients and names have a code, and a hint for the caller. */
function isExplained(error: unknown): error is Error & Explanation {
  return (
    error instanceof Error &&
    'hint' in error &&
    typeof error.hint === 'string' &&
    'code' in error &&
    typeof error.code === 'string'
  )
}

/** Writes an error for a model: what is wrong, and what to do. */
export function formatError({ code, message, hint }: Explanation): string {
  return `${message.replace(/\.?$/, '.')} ${hint} (${code})`
}
