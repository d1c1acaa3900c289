import { createHmac, timingSafeEqual } from 'node:crypto'
import type { TokenizerName } from '@packs/codec/compress'
import { type LinkForm, parsePackName, VersionError, fieldLimits } from '@packs/codec/internal'
import { listPhrases, MAX_PHRASES, MAX_QUERY } from '@packs/search'
import { z } from 'zod'
import { invalidParametersError, type ParameterError } from '../errors/api-error.ts'

export type QueryShape = Readonly<Record<string, z.ZodType>>

export type QueryValues<Shape extends QueryShape> = { readonly [Name in keyof Shape]: z.output<Shape[Name]> }

const MAX_ERRORS = 20

/**
 * Unknown, empty, repeated and invalid parameters are errors. Only a list may repeat.
 * @throws ApiError `invalid_parameter`, with the first 20 errors
 */
export function parseQuery<Shape extends QueryShape>(url: string, shape: Shape): QueryValues<Shape> {
  const errors: ParameterError[] = []
  const given = splitQuery(url, shape, errors)
  const values: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(shape)) {
    if (errors.some(({ parameter }) => parameter === name)) continue
    const list = given.get(name)
    const parsed = schema.safeParse(isList(schema) ? list : list?.[0])
    if (parsed.success) values[name] = parsed.data
    else errors.push({ parameter: name, detail: parsed.error.issues[0]?.message ?? 'is invalid' })
  }
  if (errors.length > 0) throw invalidParametersError(errors.slice(0, MAX_ERRORS))
  return values as QueryValues<Shape>
}

function splitQuery(
  url: string,
  shape: QueryShape,
  errors: ParameterError[],
): ReadonlyMap<string, readonly string[]> {
  const given = new Map<string, readonly string[]>()
  const start = url.indexOf('?')
  if (start < 0) return given
  const fail = (parameter: string, detail: string): void => {
    const isNew = errors.length < MAX_ERRORS && !errors.some((error) => error.parameter === parameter)
    if (isNew) errors.push({ parameter: parameter.slice(0, 80), detail })
  }
  for (const piece of url.slice(start + 1).split('&')) {
    if (piece === '') continue
    const middle = piece.indexOf('=')
    const rawName = middle < 0 ? piece : piece.slice(0, middle)
    const name = decodePart(rawName)
    const value = decodePart(middle < 0 ? '' : piece.slice(middle + 1))
    if (name === undefined || !Object.hasOwn(shape, name))
      fail(name ?? rawName, `is unknown; this path takes ${Object.keys(shape).join(', ') || 'no parameters'}`)
    else if (value === undefined) fail(name, 'is not percent-encoded UTF-8')
    else if (value === '') fail(name, 'is empty; send a value, or omit it if it is optional')
    else if (given.has(name) && !isList(shape[name]!)) fail(name, 'is repeated; send it once')
    else given.set(name, [...(given.get(name) ?? []), value])
  }
  return given
}

function decodePart(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** An integer in plain decimal digits; any other notation is an error. */
export function wholeNumber(least: number, most: number): z.ZodType<number, string> {
  const error = `must be a whole number from ${least} to ${most.toLocaleString('en-US')}`
  return z
    .string()
    .regex(/^(0|[1-9][0-9]{0,9})$/, { error })
    .transform(Number)
    .pipe(z.int({ error }).min(least, { error }).max(most, { error }))
}

const slugError = 'must be the slug of a domain: lowercase words joined by hyphens'

export const domain: z.ZodType<string, string> = z
  .string()
  .max(fieldLimits.slug, { error: slugError })
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, { error: slugError })
  .describe('Slug of a domain; an unknown slug matches nothing')

const levels = ['beginner', 'intermediate', 'advanced', 'expert'] as const

export const difficulty: z.ZodType<(typeof levels)[number], string> = z
  .enum(levels, { error: `must be one of ${levels.join(', ')}` })
  .describe('Level of the reader')

export const search: z.ZodType<string, string> = z
  .string()
  .max(400)
  .refine((text) => Array.from(text).length <= 200, { error: 'must have at most 200 characters' })
  .refine((text) => text.trim() !== '', { error: 'is blank; omit it or send a value' })
  .refine((text) => !/\p{Cc}/u.test(text), { error: 'must not contain control characters' })
  .describe(
    'Words in any order that all occur in the title, ignoring case and Unicode form; at most 200 characters',
  )

export const question: z.ZodType<string, string> = z
  .string({ error: 'is required: words, a question, an identifier or a "phrase"' })
  .trim()
  .refine((text) => text !== '', { error: 'is blank; send words, a question, an identifier or a "phrase"' })
  .refine((text) => Array.from(text).length <= MAX_QUERY, {
    error: `must have at most ${MAX_QUERY} characters`,
  })
  .refine((text) => !/\p{Cc}/u.test(text), { error: 'must not contain control characters' })
  .refine((text) => listPhrases(text).length <= MAX_PHRASES, {
    error: `must have at most ${MAX_PHRASES} phrases in quotation marks: keep the most important one`,
  })
  .describe(
    `Words, a question, an identifier, or a phrase in quotation marks, which must occur in a heading or in text that the tier may read; at most ${MAX_QUERY} characters and ${MAX_PHRASES} phrases. There are no operators`,
  )

const MAX_CONTEXT_PACKS = 20

function isList(schema: z.ZodType): boolean {
  return schema === contextPacks
}

export const contextPacks: z.ZodType<string[] | undefined> = z
  .array(z.string().superRefine(checkPackName))
  .max(MAX_CONTEXT_PACKS, { error: `may be repeated at most ${MAX_CONTEXT_PACKS} times` })
  .optional()
  .describe(
    'Slug or id (`pk_…`) of a pack to search, or without `q` to get whole, in its latest version; repeat it for several packs, up to 20. Without it, all packs are searched',
  )

function checkPackName(name: string, context: z.RefinementCtx): void {
  const refuse = (message: string): void => context.addIssue({ code: 'custom', message, input: name })
  try {
    parsePackName(name)
    if (name.includes('@')) refuse('must have no version: only the latest versions are used')
  } catch (error) {
    if (!(error instanceof VersionError)) throw error
    refuse(`${error.message}. ${error.hint}`)
  }
}

export const tokenizer: z.ZodType<TokenizerName, string> = z
  .enum(['o200k_base', 'cl100k_base'], { error: 'must be o200k_base or cl100k_base' })
  .describe('Tokenizer to count with; by default that of the packs')

export const yesOrNo: z.ZodType<boolean, string> = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((text) => text === 'true')
  .pipe(z.boolean())

export const linkForm: z.ZodType<LinkForm, string> = z
  .enum(['number', 'inline', 'drop'], { error: 'must be number, inline or drop' })
  .describe(
    'How links are written: `number`, with their addresses in the field `links`; `inline`, with the address in place; `drop`, without it. By default `number` in JSON and `inline` in `text/markdown`',
  )

export type Included = 'source' | 'document'

export const included: z.ZodType<Included, string> = z
  .enum(['source', 'document'], { error: 'must be source or document' })
  .describe(
    '`source`: full packs also have `patch` and `front_matter`, which restore the source file, and `metadata`; `document`: every field of the pack document, so that `pack_digest` can be checked. It changes nothing for Free accounts',
  )

export const updatedSince: z.ZodType<string, string> = z.iso
  .datetime({
    offset: true,
    error: 'must be a time like 2026-05-01T00:00:00Z; write the + of an offset as %2B',
  })
  .max(40)
  .describe('Changes at or after this time, RFC 3339')

const cursorError = 'is not a cursor of this service; use a cursor of a response'

/** A cursor of a list holds a title of up to 600 characters. */
export const cursor: z.ZodType<string, string> = z
  .string()
  .max(6000, { error: cursorError })
  .regex(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/, { error: cursorError })
  .describe('A cursor of a response with the same filters')

const BYTES_OF_SIGNATURE = 16

/** @param filters serialized; equal filters of one route must give equal text */
export function writeCursor(position: Buffer, filters: string, secret: Uint8Array): string {
  return `${position.toString('base64url')}.${sign(position, filters, secret).toString('base64url')}`
}

/** @throws ApiError `invalid_parameter` if it was not written for these filters */
export function readCursor(cursor: string, filters: string, secret: Uint8Array): Buffer {
  const parts = cursor.split('.').map((part) => Buffer.from(part, 'base64url'))
  const [position, signature] = parts
  const isCanonical = parts.map((bytes) => bytes.toString('base64url')).join('.') === cursor
  const isWhole = isCanonical && position !== undefined && signature?.length === BYTES_OF_SIGNATURE
  if (isWhole && timingSafeEqual(signature, sign(position, filters, secret))) return position
  const detail =
    'is not a cursor of this service, or belongs to other filters; send the same filters as in the first request'
  throw invalidParametersError([{ parameter: 'cursor', detail }])
}

function sign(position: Buffer, filters: string, secret: Uint8Array): Buffer {
  return createHmac('sha256', secret)
    .update(position)
    .update(filters)
    .digest()
    .subarray(0, BYTES_OF_SIGNATURE)
}
