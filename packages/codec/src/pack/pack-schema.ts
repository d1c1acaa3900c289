import * as z from 'zod'
import type { GlossaryRule } from '../compress/types.ts'
import {
  areDifferentKeys,
  KEY_PATTERN,
  SIGNATURE_PATTERN,
  type PackSignature,
} from '../signatures/pack-signature.ts'
import {
  findLinksFault,
  findPatchFault,
  DIALECTS,
  MINIFY_RULES,
  type MinifyOptions,
} from '../minify/types.ts'
import { countJsonBytes, findMetadataFault, type JsonObject } from './canonical-json.ts'
import {
  MAX_FRONT_MATTER,
  MAX_GLOSSARY,
  MAX_METADATA,
  MAX_METADATA_DEPTH,
  MAX_PHRASE,
  MAX_RULES,
  MAX_SOURCE,
  MAX_TERM,
  SLUG_PATTERN,
  URL_PATTERN,
  VERSION_PATTERN,
  fieldLimits,
} from './field-limits.ts'
import type { Pack } from './generated/pack.ts'

export type { Pack } from './generated/pack.ts'
/** What a reader should know already. */
export type Difficulty = Pack['difficulty']

// As code points, because not every implementation of JSON Schema supports \p.
const NO_CONTROL = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/
const IS_ONE_LINE = 'must hold no control character and no line end'
const NO_LONE_SURROGATE = 'must hold no lone surrogate'

/** In the order in which fields are written. `pnpm generate` derives the type from them. */
const shape = {
  format: z
    .enum(['packs/1', 'packs/2'])
    .describe('Name and major version of this format; packs/1 has no minified text'),
  id: z
    .string()
    .regex(/^pk_[0-9a-hjkmnp-tv-z]{26}$/)
    .describe('Identifier, derived from the slug alone'),
  slug: slug().describe('Name of the pack in URLs and file names'),
  title: name(fieldLimits.title).describe('Title'),
  domain: name(fieldLimits.name).describe('Name of the domain for display'),
  domain_slug: slug().describe('Name of the domain in URLs'),
  subdomain: name(fieldLimits.name).describe('Name of the subdomain for display'),
  version: z.string().regex(VERSION_PATTERN).describe('major.minor.patch'),
  difficulty: z
    .enum(['beginner', 'intermediate', 'advanced', 'expert'])
    .describe('What a reader should know already'),
  description: name(fieldLimits.description)
    .optional()
    .describe('Description, one line; absent if there is none'),
  url: z
    .string()
    .max(fieldLimits.url)
    .regex(URL_PATTERN)
    .optional()
    .describe('URL of the page, which completes relative addresses; absent if it is not known'),
  tags: z
    .array(name(fieldLimits.name))
    .min(1)
    .max(fieldLimits.tags)
    .optional()
    .describe('Tags; absent if there are none'),
  metadata: metadata()
    .optional()
    .describe(
      `Front matter of other tools, at most ${MAX_METADATA} bytes as canonical JSON and ${MAX_METADATA_DEPTH} levels; absent if there is none`,
    ),
  glossary: glossary()
    .optional()
    .describe(
      `Rules of the author for phrases, at most ${MAX_GLOSSARY} bytes as canonical JSON; absent if there are none`,
    ),
  code: z
    .boolean()
    .optional()
    .describe('false: code has no entries. true: in packs/1, glossary-1 could have entries in code'),
  compression: z
    .enum(['none', 'minify-1', 'dense-2', 'max-2', 'glossary-1', 'dense-1', 'max-1'])
    .describe('Compression scheme of the content; the last three are of packs/1'),
  minify: minify()
    .optional()
    .describe('How the text was minified: dialects of the source and rules that are off; absent under none'),
  tokenizer: z.enum(['o200k_base', 'cl100k_base']).describe('Tokenizer of all token counts in this document'),
  token_count: count().describe('Tokens of the content'),
  uncompressed_estimate: count().describe('Tokens of the source body'),
  savings_pct: percent().describe('100 × (1 − token_count ÷ uncompressed_estimate), two decimals'),
  rosetta_tokens: count().describe('Tokens of the header, 0 under none'),
  net_savings_pct: percent().describe(
    '100 × (1 − (token_count + rosetta_tokens) ÷ uncompressed_estimate), two decimals',
  ),
  sha256: digest().describe('SHA-256 of the source body as UTF-8, hexadecimal'),
  text_sha256: digest()
    .optional()
    .describe('SHA-256 of the decoded content as UTF-8, hexadecimal; absent under none'),
  links_sha256: digest().optional().describe('SHA-256 of links as canonical JSON; absent under none'),
  patch_sha256: digest().optional().describe('SHA-256 of patch as canonical JSON; absent under none'),
  pack_digest: digest().describe(
    'SHA-256 of this document as canonical JSON, without this field, signatures, links and patch',
  ),
  signatures: signatures().optional().describe('Signatures of pack_digest; absent if there are none'),
  preview_tokens: count().describe('Tokens of the preview'),
  preview_content: text(MAX_SOURCE).describe(
    'Beginning of the content: a fifth of its tokens, or its first sentence',
  ),
  front_matter: text(MAX_FRONT_MATTER, 1)
    .optional()
    .describe('Everything before the body of the source; absent if there is nothing'),
  rosetta: text(4_194_304, 8).describe('Decoder header'),
  content: text(MAX_SOURCE).describe('Compressed body'),
  links: checked(findLinksFault, { type: 'array', items: { type: 'string' } })
    .optional()
    .describe('Addresses of numbered links: number n is entry n − 1; absent under none, or if omitted'),
  patch: checked(findPatchFault, { type: 'array', items: { type: 'array' } })
    .optional()
    .describe(
      'Rows [at, removed, inserted] that turn the decoded content into the source body; absent under none, or if omitted',
    ),
}

/** Checks the shape of a pack document and drops unknown keys. */
export const packSchema: z.ZodType<Pack> = z.object(shape) as unknown as z.ZodType<Pack>

function slug(): z.ZodString {
  return z.string().max(fieldLimits.slug).regex(SLUG_PATTERN)
}

function text(most: number, least = 0): z.ZodString {
  return z
    .string()
    .min(least)
    .max(most)
    .refine((value) => value.isWellFormed(), NO_LONE_SURROGATE)
}

function name(codePoints: number): z.ZodString {
  return phrase(codePoints)
    .refine((value) => NO_CONTROL.test(value), IS_ONE_LINE)
    .meta({ maxLength: codePoints, pattern: NO_CONTROL.source })
}

/** Text of which code points are counted, as JSON Schema does. */
function phrase(codePoints: number): z.ZodString {
  return z
    .string()
    .min(1)
    .refine(
      (value) => value.length <= 2 * codePoints && Array.from(value).length <= codePoints,
      `must be at most ${codePoints} characters long`,
    )
    .refine((value) => value.isWellFormed(), NO_LONE_SURROGATE)
    .meta({ maxLength: codePoints })
}

function glossary(): z.ZodType<GlossaryRule[]> {
  const rule = z.strictObject({
    expansion: phrase(MAX_PHRASE),
    term: phrase(MAX_TERM).optional(),
    never: z.literal(true).optional(),
  })
  const isSmall = (rules: unknown): boolean => countJsonBytes(rules) <= MAX_GLOSSARY
  return z
    .array(rule)
    .min(1)
    .max(MAX_RULES)
    .refine(isSmall, `must have at most ${MAX_GLOSSARY} bytes`) as unknown as z.ZodType<GlossaryRule[]>
}

/** Keeps the object as it is: a copy by the schema would lose the key `__proto__`. */
function metadata(): z.ZodType<JsonObject> {
  return checked(findMetadataFault, { type: 'object', minProperties: 1 })
}

/** A value that a function checks, and what JSON Schema can say of it. */
function checked<T>(findFault: (value: unknown) => string | undefined, meta: object): z.ZodType<T> {
  return z
    .any()
    .superRefine((value, context) => {
      const message = findFault(value)
      if (message !== undefined) context.addIssue({ code: 'custom', message, input: value })
    })
    .meta({ ...meta })
}

function minify(): z.ZodType<Required<MinifyOptions>> {
  const list = <Name extends string>(names: readonly Name[]): z.ZodType<Name[]> =>
    z.array(z.enum(names)).max(names.length)
  return z.strictObject({ dialect: list(DIALECTS), off: list(MINIFY_RULES) })
}

function signatures(): z.ZodArray<z.ZodType<PackSignature>> {
  const key = z.string().regex(KEY_PATTERN)
  const signature = z.object({
    key_id: key.describe('Thumbprint of the public key'),
    public_key: key.describe('Ed25519, 32 bytes in base64url'),
    signature: z.string().regex(SIGNATURE_PATTERN).describe('64 bytes in base64url'),
  })
  return z
    .array(signature)
    .min(1)
    .max(fieldLimits.signatures)
    .refine(areDifferentKeys, 'must be of different keys')
}

function count(): z.ZodInt {
  return z.int().min(0).max(MAX_SOURCE)
}

function percent(): z.ZodNumber {
  return z.number().max(100)
}

function digest(): z.ZodString {
  return z.string().regex(/^[0-9a-f]{64}$/)
}
