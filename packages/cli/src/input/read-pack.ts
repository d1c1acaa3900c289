import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { PatchRow, Restorable } from '@packs/codec'
import { findDuplicateMember } from '@packs/codec/internal'
import type { Pack } from '@packs/codec/pack'
import {
  checkSource as check,
  findFiles,
  formatPath,
  type FoundFiles,
  MAX_PACK_BYTES,
  openPack as open,
  readBounded,
} from '@packs/files'
import { CliError, fileError } from '../cli-error.ts'
import { quotePath, writeWarning } from '../output/terminal.ts'

function findPacks(inputs: readonly string[]): FoundFiles {
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
    const problem = `has format ${quote(format)}, not "packs/1" or "packs/2"`
    throw fail(problem, 'use a version of pack that supports this format')
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
  const bytes = await readBounded(path, MAX_PACK_BYTES, shown)
  if (/\.(?:md|markdown|mdx)$/i.test(path)) {
    const hint = `run \`pack build ${quotePath(shown)}\`, and name what it writes`
    throw fileError('invalid_pack', shown, 'is markdown, not a pack', hint)
  }
  const { loadTokenizer } = await import('../user-cache/load-tokenizer.ts')
  const opened = await open(bytes, shown, {
    loadTokenizer,
    isWhole: true,
    ...(!mustMatch && {
      onDamage: ({ message, code }) =>
        writeWarning(`${message} (${code}): it was changed or damaged, run \`pack check\``),
    }),
  })
  return { pack: opened.pack, source: opened.source ?? opened.body }
}

/** Refuses a pack whose patch shows people another text than models read, whatever its digests. */
export async function checkSource(document: unknown, shown: string): Promise<void> {
  const { loadTokenizer } = await import('../user-cache/load-tokenizer.ts')
  await check(document, shown, loadTokenizer)
}
