import { CliError } from '../cli-error.ts'
import { MAX_PACK_BYTES, readBounded, MAX_SOURCE_BYTES } from './read-bounded.ts'
import type { Pack } from '@packs/codec/pack'
import { writeWarning } from '../output/terminal.ts'
import { decodeText } from './decode-text.ts'

/**
 * Reads a pack file, or stdin for `-`, as text.
 *
 * @throws CliError of {@link readBounded}, and `invalid_pack` where the bytes are not UTF-8
 */
export async function readPackText(path: string): Promise<string> {
  const bytes = await readBounded(path, MAX_PACK_BYTES)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    const shown = path === '-' ? '<stdin>' : path
    throw new CliError('invalid_pack', `${shown} is not UTF-8 text`, 'name a .pack.json file', {
      file: shown,
      cause: error,
    })
  }
}

/** The parts of a pack that decoding needs. */
export interface EncodedPack {
  readonly slug: string | null
  readonly content: string
  readonly rosetta: string
  /** Digest of the source body in lower-case hex, where the pack says it. */
  readonly sha256: string | null
}

/**
 * Takes the parts that decoding needs from a pack document, or from a pack as the catalog's API answers it.
 *
 * Looks at nothing else, so that it costs no start-up time; `pack check` proves a whole pack.
 *
 * @throws CliError `invalid_pack`
 */
export function parseEncodedPack(text: string, shown: string): EncodedPack {
  const fail = (problem: string, hint: string): CliError =>
    new CliError('invalid_pack', `${shown} ${problem}`, hint, { file: shown })
  const pack = parseObject(text)
  if (!pack) throw fail('is not a JSON object', 'name a .pack.json file')
  const { format, slug, content, rosetta, sha256, preview } = pack
  if (format !== undefined && format !== 'packs/1') {
    throw fail(`has format ${quote(format)}, not "packs/1"`, 'use a version of pack that reads it')
  }
  if (preview === true) throw fail('holds a preview only', 'fetch the full pack with a Pro key')
  if (typeof content !== 'string' || typeof rosetta !== 'string') {
    throw fail(`has no ${typeof content === 'string' ? 'rosetta' : 'content'}`, 'name a .pack.json file')
  }
  if (sha256 !== undefined && !(typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256))) {
    throw fail(`has a sha256 that is none: ${quote(sha256)}`, 'build the pack again')
  }
  return { slug: typeof slug === 'string' ? slug : null, content, rosetta, sha256: sha256 ?? null }
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
  return (JSON.stringify(value) ?? String(value)).slice(0, 80)
}

/**
 * Loads a pack document from a file, or from stdin for `-`.
 *
 * @param shown how the file is called in messages
 * @throws CliError of {@link readBounded}, and `invalid_pack` with what is wrong in it
 */
export async function loadPack(path: string, shown: string = path === '-' ? '<stdin>' : path): Promise<Pack> {
  const bytes = await readBounded(path, MAX_PACK_BYTES, shown)
  const { parsePack, PackError } = await import('@packs/codec/pack')
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

/** A pack document, and the source text that its content stands for. */
export interface OpenPack {
  readonly pack: Pack
  readonly source: string
}

/**
 * Loads a pack document and decodes it, up to the size of the largest source; warns where a digest is not what the pack
 * states.
 *
 * @param shown how the file is called in messages
 * @throws CliError of {@link loadPack}
 * @throws DecodeError
 */
export async function openPack(
  path: string,
  shown: string = path === '-' ? '<stdin>' : path,
): Promise<OpenPack> {
  const pack = await loadPack(path, shown)
  const source = decodeText(pack, shown, MAX_SOURCE_BYTES)
  const { digestBody, digestPack } = await import('@packs/codec/pack')
  if (digestBody(source) !== pack.sha256) warn(shown, 'decodes to a text with another digest than it states')
  else if (digestPack(pack) !== pack.pack_digest) warn(shown, 'is not what it was when its digest was made')
  return { pack, source }
}

function warn(shown: string, problem: string): void {
  writeWarning(`${shown} ${problem} (digest_mismatch): it was changed or damaged, see \`pack check\``)
}
