import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Pack } from '@packs/codec/pack'
import { CliError, fileError, type PackLocation } from '../cli-error.ts'
import { mapInTurn } from '../output/progress.ts'
import { describeError, type Problem } from '../output/report-error.ts'
import { writeWarning, formatPath } from '../output/terminal.ts'
import { type FoundFile, findFiles, type FoundFiles } from './search-inputs.ts'
import { MAX_PACK_BYTES, MAX_SOURCE_BYTES, readBounded } from './read-bounded.ts'
import { findDuplicateMember } from '@packs/codec/internal'
import { CodecError, type CodecErrorCode, type PatchRow, type Restorable, restore } from '@packs/codec'

export function findPacks(inputs: readonly string[]): FoundFiles {
  const found = findFiles(inputs, { cwd: process.cwd(), pattern: /\.pack\.json$/i })
  if (found.files.length === 0 && found.failures.length === 0) {
    throw new CliError('no_packs', `no packs in ${inputs.join(', ')}`, 'build some with `pack build`')
  }
  return found
}

/** Without inputs, finds the packs in the folder that `pack build` writes to. */
export function findBuiltPacks(
  inputs: readonly string[],
  place: { readonly folder: string; readonly config: { readonly out?: string | undefined } } | undefined,
): FoundFiles {
  if (inputs.length > 0) return findPacks(inputs)
  const out = place?.config.out
  const folder =
    place === undefined || out === undefined ? 'dist' : formatPath(resolve(place.folder, out), process.cwd())
  if (existsSync(folder)) return findPacks([folder])
  const hint = 'build some packs with `pack build`, or name them'
  throw new CliError('no_packs', `there is no folder ${folder}`, hint)
}

interface EncodedPack extends Restorable {
  readonly slug: string | null
  /** SHA-256 of the source body in lower-case hex; null if the pack does not state it. */
  readonly sha256: string | null
  /** Everything before the body in the source file; null if there was nothing. */
  readonly frontMatter: string | null
  /** The whole document, not validated. */
  readonly document: unknown
}

/**
 * Reads only the fields that decoding needs, from a pack document or a response of the API. Nothing
 * else is validated, which keeps start-up fast.
 */
export async function readEncodedPack(path: string, shown: string): Promise<EncodedPack> {
  const fail = (problem: string, hint: string, cause?: unknown): CliError =>
    fileError('invalid_pack', shown, problem, hint, cause)
  const bytes = await readBounded(path, MAX_PACK_BYTES, shown)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw fail('is not UTF-8 text', 'name a .pack.json file', error)
  }
  const pack = parseObject(text)
  if (!pack) throw fail('is not one JSON object', 'name a .pack.json file; get it again if it was cut off')
  const twice = findDuplicateMember(text)
  if (twice !== undefined) throw fail(`has two members ${quote(twice)}`, 'build the pack again')
  const { format, slug, content, rosetta, sha256, preview, front_matter: frontMatter = null } = pack
  const { patch, text_sha256 } = pack
  if (format !== undefined && format !== 'packs/1' && format !== 'packs/2') {
    throw fail(
      `has format ${quote(format)}, not "packs/1" or "packs/2"`,
      'use a version of pack that supports this format',
    )
  }
  if (preview === true) throw fail('contains only a preview', 'fetch the full pack with a Pro key')
  if (typeof content !== 'string' || typeof rosetta !== 'string') {
    throw fail(`has no ${typeof content === 'string' ? 'rosetta' : 'content'}`, 'name a .pack.json file')
  }
  if (sha256 !== undefined && !(typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256))) {
    throw fail(`has an invalid sha256: ${quote(sha256)}`, 'build the pack again')
  }
  if (frontMatter !== null && typeof frontMatter !== 'string') {
    throw fail(`has an invalid front_matter: ${quote(frontMatter)}`, 'build the pack again')
  }
  if (patch !== undefined && !isPatch(patch)) throw fail('has an invalid patch', 'build the pack again')
  const name = typeof slug === 'string' ? slug : null
  // Equal digests: nothing was edited, so the text is the source.
  const minified = typeof text_sha256 === 'string' && text_sha256 !== sha256 ? { text_sha256 } : {}
  const rows = format === 'packs/1' ? {} : patch === undefined ? minified : { ...minified, patch }
  return { slug: name, content, rosetta, sha256: sha256 ?? null, frontMatter, document: pack, ...rows }
}

/** Whether a value has the shape of a patch; `restore` checks its numbers. */
function isPatch(value: unknown): value is readonly PatchRow[] {
  return Array.isArray(value) && value.every((row) => Array.isArray(row) && typeof row[2] === 'string')
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return { __proto__: null, ...value }
  } catch {
    return undefined
  }
}

function quote(value: unknown): string {
  // A cut between two surrogates would leave half a character.
  return (JSON.stringify(value) ?? String(value)).slice(0, 80).replace(/[\uD800-\uDBFF]$/, '')
}

export interface OpenPack {
  readonly pack: Pack
  /** The text that models read, if a minified pack came without its patch. */
  readonly source: string
}

/**
 * Reads and validates a pack document and decodes it, up to the size limit of a source.
 * @param mustMatch refuse a pack whose digests do not match, or whose source is not that of its
 *   text; without it, that is a warning
 */
export async function openPack(
  path: string,
  shown: string = path === '-' ? '<stdin>' : path,
  mustMatch = false,
): Promise<OpenPack> {
  const opened = await decodeBytes(await readBounded(path, MAX_PACK_BYTES, shown), shown)
  const { pack, body, source = body } = opened
  const { digestPack } = await import('./pack-format.ts')
  try {
    await checkOpened(opened)
    if (digestPack(pack) !== pack.pack_digest) throw damagedError(shown, 'does not match its pack_digest')
  } catch (error) {
    if (mustMatch || !(error instanceof CliError)) throw error
    writeWarning(`${error.message} (${error.code}): it was changed or damaged, run \`pack check\``)
  }
  return { pack, source }
}

async function parseBytes(bytes: Uint8Array, shown: string): Promise<Pack> {
  const { parsePack, PackError } = await import('./pack-format.ts')
  try {
    return parsePack(bytes)
  } catch (error) {
    if (!(error instanceof PackError)) throw error
    throw new CliError('invalid_pack', `${shown}: ${error.message}`, error.hint, {
      file: shown,
      cause: error,
    })
  }
}

/** A pack file with its decoded text, and with its source if it has it. */
export interface OpenedPack {
  readonly shown: string
  readonly pack: Pack
  readonly body: string
  readonly source?: string
}

async function decodeBytes(bytes: Uint8Array, shown: string): Promise<OpenedPack> {
  const pack = await parseBytes(bytes, shown)
  const { content, rosetta, minify, patch } = pack
  const body = decodeText({ content, rosetta }, shown, MAX_SOURCE_BYTES)
  if (minify === undefined) return { shown, pack, body, source: body }
  const source = patch && decodeText(pack, shown, MAX_SOURCE_BYTES)
  return { shown, pack, body, ...(source !== undefined && { source }) }
}

/** Refuses a pack whose digests do not match, or whose source minifies to another text. */
async function checkOpened({ shown, pack, body, source }: OpenedPack): Promise<void> {
  const { minify, links, links_sha256, sha256, text_sha256 = sha256 } = pack
  const isWrong = hash('sha256', body) !== text_sha256
  if (isWrong || (minify && source !== undefined && hash('sha256', source) !== sha256))
    throw damagedError(shown, 'decodes to a text that does not match its sha256')
  if (minify === undefined) return
  const { digestRows } = await import('./pack-format.ts')
  if (links !== undefined && digestRows(links) !== links_sha256)
    throw damagedError(shown, 'has links that do not match its links_sha256')
  if (source !== undefined) await checkSource(pack, shown)
}

export interface SkippedFile {
  readonly file: string
  readonly problem: Problem
}

export interface PackFile {
  readonly shown: string
  /** SHA-256 of its bytes, or the message of the error of reading it. */
  readonly digest: string
  /** @throws CliError as {@link readBounded} does */
  readonly read: () => Promise<Uint8Array>
}

/** Reads files. What `read` returns fits the `digest`, even if the file changes later. */
export function readPackFiles(files: readonly FoundFile[], isQuiet: boolean): Promise<PackFile[]> {
  return mapInTurn('reading', files, isQuiet, async ({ path, shown }) => {
    const reading = readBounded(path, MAX_PACK_BYTES, shown)
    const digest = await reading.then((bytes) => hash('sha256', bytes), describeFault)
    return { shown, digest, read: () => reading }
  })
}

/** Returns what a key says of a file that cannot be read. */
export function describeFault(error: unknown): string {
  return String((error as Error).message)
}

/** Decodes packs. Those that are damaged are skipped. */
export async function openPacks(
  files: readonly PackFile[],
  isQuiet: boolean,
): Promise<{ readonly packs: readonly OpenedPack[]; readonly skipped: readonly SkippedFile[] }> {
  const skipped: SkippedFile[] = []
  const packs = await mapInTurn('decoding', files, isQuiet, async ({ shown, read }) => {
    try {
      const opened = await decodeBytes(await read(), shown)
      // Comparing the document with `pack_digest` too would take as long as everything else.
      await checkOpened(opened)
      return opened
    } catch (error) {
      const problem = describeError(error)
      if (problem.code === 'internal') throw error
      skipped.push({ file: shown, problem })
      return []
    }
  })
  return { packs: packs.flat(), skipped }
}

/** Parses a document, also as the API gives it: with null and [] for what it does not have. */
export async function parseDocument(value: unknown): Promise<Pack> {
  const { parsePack } = await import('./pack-format.ts')
  const { description, tags } = Object(value) as Readonly<Record<string, unknown>>
  const given = { description: description ?? undefined, tags: String(tags) === '' ? undefined : tags }
  return parsePack({ ...Object(value), ...given })
}

/** Refuses a pack whose patch shows people another text than models read, whatever its digests. */
export async function checkSource(document: unknown, shown: string): Promise<void> {
  const { checkMinified, PackError } = await import('./pack-format.ts')
  const { loadTokenizer } = await import('../user-cache/load-tokenizer.ts')
  const hint = 'get it again, or build it from its source; `pack decode --text` gives what models read'
  try {
    const {
      ok,
      skipped = false,
      message,
    } = await checkMinified(await parseDocument(document), { loadTokenizer })
    if (!ok || skipped) throw new CliError('invalid_patch', `${shown}: ${message}`, hint, { file: shown })
  } catch (error) {
    if (!(error instanceof PackError)) throw error
    const message = `${shown} is not a complete pack (${error.message}), so its source could not be checked`
    throw new CliError('invalid_pack', message, hint, { file: shown, cause: error })
  }
}

export function damagedError(shown: string, problem: string): CliError {
  return fileError('digest_mismatch', shown, problem, 'the pack was changed or damaged; get it again')
}

/** @throws CliError with the code of the codec and the position in the pack */
export function decodeText(pack: Restorable, shown: string, maxOutput?: number): string {
  try {
    return restore(pack, maxOutput === undefined ? {} : { maxOutput })
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    const { code, message } = error
    const details = { file: shown, ...locateError(error, pack.content), cause: error }
    throw new CliError(code, `${shown}: ${message}`, chooseHint(code), details)
  }
}

function chooseHint(code: CodecErrorCode): string {
  if (code === 'invalid_patch')
    return 'the patch is missing, damaged or of another pack: get the whole pack again (of a catalog with `include=source`); `pack decode --text` gives what models read'
  return code === 'output_too_large' || code === 'nesting_too_large'
    ? 'do not trust this pack: it decodes to more than the largest possible source; get it from a source you trust'
    : 'the header is damaged or was written by another program: get the pack again, or build it again from its source'
}

const PARTS: Partial<Record<CodecErrorCode, PackLocation['part']>> = {
  output_too_large: 'content',
  nesting_too_large: 'expansion',
  invalid_patch: 'patch',
}

function locateError({ code, offset, entry }: CodecError, content: string): PackLocation {
  const part = PARTS[code] ?? 'rosetta'
  return {
    part,
    ...(offset !== undefined && { offset }),
    ...(offset !== undefined && part === 'content' && findLine(content, offset)),
    ...(entry !== undefined && { entry }),
  }
}

function findLine(text: string, offset: number): { readonly line: number; readonly column: number } {
  let line = 1
  let start = 0
  for (const { index, 0: end } of text.slice(0, offset).matchAll(/\r\n|\r|\n/g)) {
    line++
    start = index + end.length
  }
  return { line, column: offset - start + 1 }
}
