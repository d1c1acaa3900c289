import { hash } from 'node:crypto'
import { digestPack, digestRows } from '@packs/codec/internal'
import { buildPack, checkMinified, type Pack, PackError, parsePack } from '@packs/codec/pack'
import {
  damagedError,
  decodeText,
  type OpenedPack,
  type OpenOptions,
  type TokenizerLoader,
} from './decode-text.ts'
import { foldReasons, type Reason } from './diagnostic.ts'
import { FilesError } from './files-error.ts'
import type { FoundFile } from './inputs/find-files.ts'
import { MAX_SOURCE_BYTES } from './inputs/read-bounded.ts'
import type { ReadSource } from './sources/read-source.ts'

/** A file that was read. What `read` returns fits the `digest`, even if the file changes later. */
export interface ReadFile<Content> {
  readonly shown: string
  /** Digest of what is read, or the message of the error of reading it. */
  readonly digest: string
  readonly read: () => Promise<Content>
}

export interface ReadFiles {
  readonly packs: readonly ReadFile<Uint8Array>[]
  readonly sources: readonly (FoundFile & ReadFile<ReadSource>)[]
}

/** Decodes all files. Skips files that cannot be read and duplicate packs, with a warning. */
export async function decodeFiles(
  { packs, sources }: ReadFiles,
  loadTokenizer: TokenizerLoader,
): Promise<{ readonly packs: readonly OpenedPack[]; readonly warnings: readonly string[] }> {
  const skipped: Reason[] = []
  const read = new Map<string, OpenedPack>()
  const add = (decoded: OpenedPack): void => {
    const name = `${decoded.pack.slug}@${decoded.pack.version}`
    const known = read.get(name)
    if (known === undefined) read.set(name, decoded)
    else if (known.pack.sha256 !== decoded.pack.sha256)
      skipped.push({ file: decoded.shown, why: `is skipped: there is another ${name}` })
  }
  for (const { shown, read: readBytes } of packs) {
    try {
      add(await openPack(await readBytes(), shown, { loadTokenizer }))
    } catch (error) {
      skipped.push({ file: shown, why: `is skipped (${findCode(error)}): ${(error as Error).message}` })
    }
  }
  for (const { shown, read: readSource } of sources) {
    try {
      add(await decodeSource(shown, await readSource(), loadTokenizer))
    } catch (error) {
      const { message, details } = error as Partial<FilesError> & Error
      skipped.push({ file: shown, why: `is skipped: ${details?.faults?.[0]?.message ?? message}` })
    }
  }
  return {
    packs: [...read.values()],
    warnings: foldReasons(skipped),
  }
}

/** @throws the value itself if it has no code, because it then comes from a fault of the program */
function findCode(error: unknown): string {
  const { code, hint } = Object(error) as { readonly code?: unknown; readonly hint?: unknown }
  if (typeof code === 'string' && typeof hint === 'string') return code
  throw error
}

/**
 * Minifies a markdown file into a pack without terms.
 * @throws FilesError `source_not_built`
 */
export async function decodeSource(
  shown: string,
  { parse }: ReadSource,
  loadTokenizer: TokenizerLoader,
): Promise<OpenedPack> {
  const { source, messages } = await parse()
  const [{ reason, note, line, column } = UNREADABLE] = messages.filter(({ fatal }) => fatal === true)
  if (source !== undefined) {
    await loadTokenizer(source.tokenizer)
    const { pack } = await buildPack({ ...source, glossary: [] }, { scheme: 'minify-1' })
    if (pack !== undefined) return decodePack(pack, shown)
  }
  const faults = [{ line, column, message: reason, hint: note }]
  const message = `${shown} cannot be built, so nothing was done`
  throw new FilesError('source_not_built', message, 'correct it, or omit it', { file: shown, faults })
}

const UNREADABLE = { reason: 'it cannot be read', note: 'correct it', line: null, column: null }

/** Reads, validates and decodes a pack document, up to the size limit of a source. */
export async function openPack(
  bytes: Uint8Array,
  shown: string,
  { loadTokenizer, isWhole = false, onDamage }: OpenOptions,
): Promise<OpenedPack> {
  const pack = parseBytes(bytes, shown)
  const opened = decodePack(pack, shown)
  try {
    await checkOpened(opened, loadTokenizer)
    if (isWhole && digestPack(pack) !== pack.pack_digest)
      throw damagedError(shown, 'does not match its pack_digest')
  } catch (error) {
    if (onDamage === undefined || !(error instanceof FilesError)) throw error
    onDamage(error as FilesError)
  }
  return opened
}

function parseBytes(bytes: Uint8Array, shown: string): Pack {
  try {
    return parsePack(bytes)
  } catch (error) {
    if (!(error instanceof PackError)) throw error
    throw new FilesError('invalid_pack', `${shown}: ${error.message}`, error.hint, {
      file: shown,
      cause: error,
    })
  }
}

export function decodePack(pack: Pack, shown: string): OpenedPack {
  const { content, rosetta, minify, patch } = pack
  const body = decodeText({ content, rosetta }, shown, MAX_SOURCE_BYTES)
  if (minify === undefined) return { shown, pack, body, source: body }
  const source = patch && decodeText(pack, shown, MAX_SOURCE_BYTES)
  return { shown, pack, body, ...(source !== undefined && { source }) }
}

/** Refuses a pack whose digests do not match, or whose source minifies to another text. */
async function checkOpened(
  { shown, pack, body, source }: OpenedPack,
  loadTokenizer: TokenizerLoader,
): Promise<void> {
  const { minify, links, links_sha256, sha256, text_sha256 = sha256 } = pack
  const isWrong = hash('sha256', body) !== text_sha256
  if (isWrong || (minify && source !== undefined && hash('sha256', source) !== sha256))
    throw damagedError(shown, 'decodes to a text that does not match its sha256')
  if (minify === undefined) return
  if (links !== undefined && digestRows(links) !== links_sha256)
    throw damagedError(shown, 'has links that do not match its links_sha256')
  if (source !== undefined) await checkSource(pack, shown, loadTokenizer)
}

/** Parses a document, also as the API gives it: with null and [] for what it does not have. */
export function parseDocument(value: unknown): Pack {
  const { description, tags } = Object(value) as Readonly<Record<string, unknown>>
  const given = { description: description ?? undefined, tags: String(tags) === '' ? undefined : tags }
  return parsePack({ ...Object(value), ...given })
}

/** Refuses a pack whose patch shows people another text than models read, whatever its digests. */
export async function checkSource(
  document: unknown,
  shown: string,
  loadTokenizer: TokenizerLoader,
): Promise<void> {
  const hint = 'get it again, or build it from its source; `pack decode --text` gives what models read'
  try {
    const { ok, skipped = false, message } = await checkMinified(parseDocument(document), { loadTokenizer })
    if (!ok || skipped) throw new FilesError('invalid_patch', `${shown}: ${message}`, hint, { file: shown })
  } catch (error) {
    if (!(error instanceof PackError)) throw error
    const message = `${shown} is not a complete pack (${error.message}), so its source could not be checked`
    throw new FilesError('invalid_pack', message, hint, { file: shown, cause: error })
  }
}
