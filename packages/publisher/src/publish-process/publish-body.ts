import {
  DIALECTS,
  fieldLimits,
  MAX_SOURCE,
  MINIFY_RULES,
  SCHEME_NAMES,
  URL_PATTERN,
} from '@packs/codec/internal'
import type { SourceDefaults } from '@packs/codec/pack'
import * as z from 'zod'
import type { PublishRequest } from '../runner.ts'

const line = (max: number): z.ZodString =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text), 'Invalid input: not one line of text')

const rule = z.strictObject({
  expansion: z.string().min(1),
  term: z.string().min(1).optional(),
  never: z.boolean().optional(),
})

/** A source, and what the configuration of its sender says of it. */
const schema = z.strictObject({
  path: line(4096),
  text: z.string().refine((text) => text.isWellFormed(), 'Invalid input: half of a surrogate pair'),
  slug: line(fieldLimits.slug).optional(),
  title: line(fieldLimits.title).optional(),
  domain: line(fieldLimits.name).optional(),
  subdomain: line(fieldLimits.name).optional(),
  difficulty: z.enum(['beginner', 'intermediate', 'advanced', 'expert']).optional(),
  scheme: z.enum(SCHEME_NAMES).optional(),
  dialect: z.array(z.enum(DIALECTS)).max(DIALECTS.length).optional(),
  minify: z.strictObject({ off: z.array(z.enum(MINIFY_RULES)).max(MINIFY_RULES.length) }).optional(),
  budget: z.int().min(1).optional(),
  worth_header: z.strictObject({ percent: z.number().min(0).max(100), tokens: z.int().min(0) }).optional(),
  url: line(fieldLimits.url).regex(URL_PATTERN, 'Invalid input: not an http or https URL').optional(),
  glossary: z.array(rule).max(65_536).optional(),
  front_matter_map: z.record(line(1000), z.union([line(1000), z.literal(false)])).optional(),
  commit: z
    .string()
    .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'Invalid input: not 40 or 64 lowercase hexadecimal digits')
    .optional(),
  bump: z.enum(['patch', 'minor', 'major']).optional(),
  rebuild: z.boolean().optional(),
})

export function createPublishSchema(): Record<string, unknown> {
  return z.toJSONSchema(schema, { io: 'input' })
}

export interface FieldError {
  readonly field: string
  readonly detail: string
}

export type ParsedBody =
  | Required<Pick<PublishRequest, 'file' | 'gitCommit' | 'bump' | 'rebuild'>>
  | { readonly errors: readonly FieldError[]; readonly isTooLarge?: boolean }

const MAX_ERRORS = 20

export function parseBody(bytes: Uint8Array): ParsedBody {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return { errors: [{ field: 'body', detail: 'The body is not JSON in UTF-8' }] }
  }
  const { data, error } = schema.safeParse(value)
  if (error !== undefined) return { errors: error.issues.flatMap(describeIssue).slice(0, MAX_ERRORS) }
  const { path, text, commit, bump, rebuild, scheme, dialect = [], minify, worth_header, ...rest } = data
  if (Buffer.byteLength(text) > MAX_SOURCE) return { errors: [], isTooLarge: true }
  const { front_matter_map: frontMatterMap, ...fields } = rest
  const all = { ...minify, ...(dialect.length > 0 && { dialect }) }
  const given = {
    ...fields,
    compression: scheme,
    minify: Object.keys(all).length > 0 ? all : undefined,
    worthHeader: worth_header,
    frontMatterMap,
  }
  // Without the fields that are undefined.
  const defaults = JSON.parse(JSON.stringify(given)) as SourceDefaults
  const file = {
    bytes: Buffer.from(text),
    path,
    ...(Object.keys(defaults).length > 0 && { defaults }),
  }
  return { file, gitCommit: commit ?? null, bump, rebuild }
}

function describeIssue(issue: z.core.$ZodIssue): FieldError[] {
  const name = (...more: string[]): string =>
    [...issue.path, ...more].join('.').slice(0, 80).toWellFormed() || 'body'
  const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined')
  const problem = isMissing ? 'missing' : issue.message
  if (issue.code !== 'unrecognized_keys') return [{ field: name(), detail: `${name()}: ${problem}` }]
  return issue.keys.map((key) => ({ field: name(key), detail: `${name(key)}: not a field` }))
}
