import type * as preview from '../preview/cut-preview.ts'
import { decode } from '../decode/decode.ts'
import { createUseFinder } from '../decode/map-uses.ts'
import { CodecError } from '../errors.ts'
import { parseRosetta, serializeRosetta } from '../rosetta/parse-rosetta.ts'
import { findWrongSignature } from '../signatures/pack-signature.ts'
import type { Tokenizer, TokenizerName } from '../tokens/get-tokenizer.ts'
import { restoreText } from '../minify/restore-text.ts'
import { MARKER } from '../rosetta/grammar.ts'
import { derivePackId, digestPack, digestRows, digestText } from './digests.ts'
import { PackError } from './pack-error.ts'
import { computeSavingsPercent } from './pack-fields.ts'
import type { Pack } from './pack-schema.ts'
import { parsePack } from './parse-pack.ts'

/** The checks of {@link checkPack}, in this order. */
export type PackCheckName =
  | 'schema'
  | 'id'
  | 'pack_digest'
  | 'signatures'
  | 'header'
  | 'text'
  | 'links'
  | 'patch'
  | 'round_trip'
  | 'minify'
  | 'token_count'
  | 'rosetta_tokens'
  | 'uncompressed_estimate'
  | 'savings_pct'
  | 'net_savings_pct'
  | 'preview'

export interface PackCheck {
  readonly name: PackCheckName
  readonly ok: boolean
  /** It needs `links` or `patch`, and the document came without them. */
  readonly skipped?: true
  /** One sentence: what was verified, or what is wrong. */
  readonly message: string
  /** What to do, if the input is not a pack. */
  readonly hint?: string
  /** The value in the pack, if the check compares. */
  readonly stated?: string | number
  /** The computed value, if the check compares. */
  readonly found?: string | number
}

export interface CheckPackOptions {
  /** Loads the tokenizer. @default `loadTokenizer` of `./compress`, imported on demand */
  readonly loadTokenizer?: (name: TokenizerName) => Promise<Tokenizer>
  /** Whether to minify the source and cut the preview again. @default true */
  readonly again?: boolean
}

/**
 * Checks a pack: its shape, id, digests and signatures, that its content and patch give the body it
 * was built from, that minifying this body again gives the same text and addresses, so that no
 * patch shows people another text than models, and every number by counting again. What needs an
 * omitted part is `skipped`. Whose signatures it should have is for the caller to say.
 *
 * Does not throw for a bad pack: the first check that is not `ok` says what is wrong. If the shape
 * is wrong, it is the only check.
 * @param input a pack, or the JSON of one as text or bytes
 */
export async function checkPack(input: unknown, options: CheckPackOptions = {}): Promise<PackCheck[]> {
  const { again = true } = options
  let pack: Pack
  try {
    pack = parsePack(input)
  } catch (error) {
    if (!(error instanceof PackError)) throw error
    return [{ name: 'schema', ok: false, message: error.message, hint: error.hint }]
  }
  const tokenizer = await (options.loadTokenizer ?? loadDefault)(pack.tokenizer)
  const checks: PackCheck[] = [
    { name: 'schema', ok: true, message: 'All fields are present and have the right type' },
    compare('id', pack.id, derivePackId(pack.slug), 'The id is derived from the slug'),
    compare('pack_digest', pack.pack_digest, digestPack(pack), 'The digest matches the pack'),
    ...(pack.signatures === undefined ? [] : [await checkSignatures(pack)]),
    checkHeader(pack),
  ]
  const text = decodeText(pack)
  if (typeof text !== 'string') return [...checks, text]
  const previews = await import('../preview/cut-preview.ts')
  const restored = restoreBody(pack, text)
  const body = typeof restored === 'string' ? restored : undefined
  const paid = tokenizer.countTokens(pack.content)
  return [
    ...checks,
    ...(pack.minify === undefined ? [] : checkParts(pack, text)),
    body === undefined
      ? (restored as PackCheck)
      : compare('round_trip', pack.sha256, digestText(body), 'The pack restores the source body'),
    ...(pack.minify && again ? [await compareMinified(pack, text, body, tokenizer)] : []),
    ...checkCounts(pack, body, tokenizer, paid),
    checkPreview(pack, text, tokenizer, previews, { again, paid }),
  ]
}

function checkParts(pack: Pack, text: string): PackCheck[] {
  const parts = [
    ['links', pack.links, pack.links_sha256!],
    ['patch', pack.patch, pack.patch_sha256!],
  ] as const
  return [
    compare('text', pack.text_sha256!, digestText(text), 'The content decodes to the text'),
    ...parts.map(([name, rows, stated]) =>
      rows === undefined
        ? skip(name, name)
        : compare(name, stated, digestRows(rows), `The digest of ${name}`),
    ),
  ]
}

function skip(name: PackCheckName, missing: 'links' | 'patch'): PackCheck {
  return { name, ok: true, skipped: true, message: `Not checked: that needs the ${missing}` }
}

/** Returns the source body of a pack, or why it cannot be restored. */
function restoreBody({ minify, patch }: Pack, text: string): string | PackCheck {
  if (minify === undefined) return text
  if (patch === undefined) return skip('round_trip', 'patch')
  try {
    return restoreText(text, patch)
  } catch (error) {
    return { name: 'round_trip', ok: false, message: describeFailure(error), hint: PATCH_HINT }
  }
}

const PATCH_HINT = 'Do not trust the source that this pack shows. Build the pack again from its source.'

/**
 * Minifies the source of a pack again: a patch alone could show people one text and models another.
 * Skipped without a patch, and true of a pack without minified text. Digests are for `checkPack`.
 * @throws CodecError if the pack cannot be decoded or restored
 */
export async function checkMinified(pack: Pack, options: CheckPackOptions = {}): Promise<PackCheck> {
  if (pack.minify === undefined) {
    const ok = pack.format === 'packs/1' || pack.compression === 'none'
    const message = ok ? 'The text is the source' : 'It does not say how it was minified'
    return { name: 'minify', ok, message }
  }
  const tokenizer = await (options.loadTokenizer ?? loadDefault)(pack.tokenizer)
  const text = decode(pack.content, pack.rosetta)
  return compareMinified(pack, text, pack.patch && restoreText(text, pack.patch), tokenizer)
}

async function compareMinified(
  pack: Pack,
  text: string,
  body: string | undefined,
  tokenizer: Tokenizer,
): Promise<PackCheck> {
  const name = 'minify'
  if (pack.patch === undefined) return skip(name, 'patch')
  const { minifySource } = await import('../minify/minify.ts')
  const again = body === undefined ? undefined : minifySource(body, pack.minify!, tokenizer)
  const hasLinks = ({ links }: { readonly links: readonly string[] }): boolean =>
    [pack.links_sha256, digestRows(pack.links ?? links)].every((digest) => digest === digestRows(links))
  const other = again?.text !== text ? 'text' : hasLinks(again) ? '' : 'links'
  if (other === '') return { name, ok: true, message: 'Minifying the source gives the text and the links' }
  const message = `Minifying the source gives another ${other === 'text' ? 'text' : 'address'} than models read`
  return { name, ok: false, message, hint: PATCH_HINT }
}

function checkCounts(pack: Pack, body: string | undefined, tokenizer: Tokenizer, paid: number): PackCheck[] {
  const hasHeader = pack.compression !== 'none' && pack.rosetta !== MARKER
  const header = hasHeader ? tokenizer.countTokens(pack.rosetta) : 0
  const full = body === undefined ? pack.uncompressed_estimate : tokenizer.countTokens(body)
  const net = computeSavingsPercent(paid + header, full)
  return [
    compare('token_count', pack.token_count, paid, 'Tokens of the content'),
    compare('rosetta_tokens', pack.rosetta_tokens, header, 'Tokens of the header'),
    body === undefined
      ? skip('uncompressed_estimate', 'patch')
      : compare('uncompressed_estimate', pack.uncompressed_estimate, full, 'Tokens of the source body'),
    compare('savings_pct', pack.savings_pct, computeSavingsPercent(paid, full), 'Savings without the header'),
    compare('net_savings_pct', pack.net_savings_pct, net, 'Savings with the header'),
  ]
}

const FAULTS: { readonly [Name in PackCheckName]?: string } = {
  id: 'The id is that of another slug',
  pack_digest: 'The pack was changed after it was built',
  text: 'The content decodes to another text',
  round_trip: 'The pack restores another source body',
}

function compare<T extends string | number>(
  name: PackCheckName,
  stated: T,
  found: T,
  what: string,
): PackCheck {
  const ok = stated === found
  const [says, is] = [stated, found].map((value) => `${value}`.replace(/([0-9a-f]{7})[0-9a-f]{20,}/, '$1…'))
  const fault = FAULTS[name] && `${FAULTS[name]} (digest ${says}, found ${is})`
  const message = ok ? `${what}: ${found}` : (fault ?? `${what}: the pack says ${says}, found ${is}`)
  return { name, ok, message, stated, found }
}

async function checkSignatures(pack: Pack): Promise<PackCheck> {
  const wrong = await findWrongSignature(pack)
  const what = wrong?.reason === 'key_id' ? 'key id is that of another key' : 'signature is not of this pack'
  const message = wrong ? `The ${what}: ${wrong.key_id}` : 'All signatures hold'
  return { name: 'signatures', ok: wrong === undefined, message, ...(wrong && { hint: SIGNATURE_HINT }) }
}

const SIGNATURE_HINT = 'Get the pack again from its publisher: the pack or its signature was changed.'

function checkHeader({ rosetta, compression }: Pack): PackCheck {
  try {
    const header = parseRosetta(rosetta)
    if (serializeRosetta(header) !== rosetta) {
      return { name: 'header', ok: false, message: 'The header is not in canonical form' }
    }
    const entries = header.entries.length
    const ok = compression === 'minify-1' || (compression === 'none') === (entries === 0)
    const message = ok
      ? `The header has ${entries} entries`
      : `Scheme ${compression} with ${entries} entries in the header`
    return { name: 'header', ok, message }
  } catch (error) {
    return { name: 'header', ok: false, message: describeFailure(error) }
  }
}

function decodeText({ content, rosetta }: Pack): string | PackCheck {
  try {
    return decode(content, rosetta)
  } catch (error) {
    return { name: 'round_trip', ok: false, message: describeFailure(error) }
  }
}

function describeFailure(error: unknown): string {
  if (!(error instanceof CodecError)) throw error
  const { code, message, offset, entry } = error
  const place = [
    ...(entry === undefined ? [] : [`entry ${entry}`]),
    ...(offset === undefined ? [] : [`offset ${offset}`]),
  ]
  return `${message} (${[code, ...place].join(', ')})`
}

/** A legal preview passes even if this version would cut it elsewhere; the message says so. */
function checkPreview(
  pack: Pack,
  text: string,
  tokenizer: Tokenizer,
  { announcesMore, cutPreview, limitPreview }: typeof preview,
  { again, paid }: { readonly again: boolean; readonly paid: number },
): PackCheck {
  const { content, rosetta, preview_content: shown, preview_tokens: stated } = pack
  const found = tokenizer.countTokens(shown)
  const fail = (message: string): PackCheck => ({ name: 'preview', ok: false, message, stated, found })
  if (found !== stated) return compare('preview', stated, found, 'Tokens of the preview')
  const allowance = limitPreview(paid, pack.format)
  if (found > allowance) return fail(`The preview has ${found} tokens, its allowance is ${allowance}`)
  if (!content.startsWith(shown)) return fail('The preview is not the beginning of the content')
  if (found > 0 && content.slice(shown.length).trim() === '') return fail('The preview is the whole content')
  const decoded = decode(shown, rosetta)
  if (!text.startsWith(decoded)) return fail('The preview cuts a term')
  if (pack.format !== 'packs/1' && found > 0 && announcesMore(text, decoded.length))
    return fail('The preview ends on a heading or a colon')
  const cut = again ? cutPreview({ content, rosetta, body: text, tokenizer }).content : shown
  const where = cut === shown ? '' : '; this version would cut it elsewhere'
  return { name: 'preview', ok: true, message: `Tokens of the preview: ${found}${where}`, stated, found }
}

async function loadDefault(name: TokenizerName): Promise<Tokenizer> {
  const { loadTokenizer } = await import('../tokens/load-tokenizer.ts')
  return loadTokenizer(name)
}

/** Most code points of a term that the compressor makes. */
const LONGEST_MADE = 8

/**
 * Finds an entry that no compressor would put into the header of a pack: one that its text does not
 * use, or with a term that says something. Models read both, which decoding does not show.
 * @param given terms of a glossary, which may be long
 * @returns the term of the first one; undefined if there is none
 * @throws CodecError for a pack that cannot be decoded
 */
export function findNeedlessEntry(
  { content, rosetta }: Pick<Pack, 'content' | 'rosetta'>,
  given: ReadonlySet<string>,
): string | undefined {
  const { entries } = parseRosetta(rosetta)
  const findUses = createUseFinder(entries)
  const used = new Set(findUses(content, Infinity).map(({ entry }) => entry))
  // Also visits what is added on the way: entries that other expansions use.
  for (const entry of used)
    for (const use of findUses(entries[entry]!.expansion, Infinity, entry)) used.add(use.entry)
  return entries.find(
    ({ term }, entry) => !used.has(entry) || (Array.from(term).length > LONGEST_MADE && !given.has(term)),
  )?.term
}
