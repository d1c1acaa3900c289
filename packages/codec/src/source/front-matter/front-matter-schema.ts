import * as z from 'zod'
import { SLUG_PATTERN, VERSION_PATTERN, fieldLimits, quoteFound } from '../../pack/field-limits.ts'
import type { Pack } from '../../pack/pack-schema.ts'
import { findClosestWord } from '../closest-word.ts'
import { findScheme, SCHEME_NAMES, suggestScheme } from '../../scheme-names.ts'
import type { Scheme } from '../../types.ts'
import type { Finding } from '../messages.ts'
import type { FoundText } from './parse-yaml.ts'

const slug = z.string().max(fieldLimits.slug).regex(SLUG_PATTERN)
const ruleShape = {
  expansion: z
    .string()
    .min(1)
    .refine((text) => !/\p{Cs}/u.test(text)),
  term: z.string().min(1).optional(),
  never: z.boolean().optional(),
}

const shape = {
  slug: slug.optional(),
  title: line(fieldLimits.title).optional(),
  version: z.string().regex(VERSION_PATTERN).optional(),
  domain: line(fieldLimits.name).optional(),
  domain_slug: slug.optional(),
  subdomain: line(fieldLimits.name).optional(),
  difficulty: z.enum(['beginner', 'intermediate', 'advanced', 'expert']).optional(),
  description: z
    .string()
    .transform((text) => text.replace(/\s+/g, ' '))
    .pipe(line(fieldLimits.description))
    .optional(),
  tags: z
    .unknown()
    .transform(listTags)
    .pipe(z.array(z.string().pipe(z.union([z.literal(''), line(fieldLimits.name)]))))
    .transform((tags) => [...new Set(tags)].filter((tag) => tag !== ''))
    .refine((tags) => tags.length <= fieldLimits.tags)
    .optional(),
  compression: z.enum(SCHEME_NAMES).optional(),
  code: z.boolean().optional(),
  tokenizer: z.enum(['o200k_base', 'cl100k_base']).optional(),
  budget: z.int().min(1).optional(),
  glossary: z.array(z.object(ruleShape)).max(65_536).optional(),
}

type PackField =
  | ('slug' | 'title' | 'version' | 'domain' | 'domain_slug' | 'subdomain' | 'difficulty')
  | ('description' | 'tags' | 'tokenizer')
type OptionalPackFields = { readonly [Field in PackField]?: Pack[Field] | undefined }

export interface FrontMatter extends OptionalPackFields {
  readonly compression?: Scheme | undefined
  readonly code?: boolean | undefined
  readonly budget?: number | undefined
  readonly glossary?: readonly FrontMatterRule[] | undefined
}

export interface FrontMatterRule {
  readonly expansion: string
  readonly term?: string | undefined
  readonly never?: boolean | undefined
}

export type FrontMatterKey = keyof FrontMatter

export const valueSchemas: Readonly<Record<FrontMatterKey, z.ZodType>> = shape

export const frontMatterKeys: readonly FrontMatterKey[] = Object.keys(shape) as FrontMatterKey[]
export const glossaryRuleKeys: readonly string[] = Object.keys(ruleShape)

/** Keys that only this format has. Other tools use the others too. */
const OWN_KEYS: ReadonlySet<FrontMatterKey> = new Set([
  'domain_slug',
  'compression',
  'tokenizer',
  'budget',
  'glossary',
])

/** Whether other tools use a key too, so that a value which is not ours may be meant for them. */
export function isSharedKey(key: FrontMatterKey): boolean {
  return !OWN_KEYS.has(key)
}

const SLUG = 'lower-case words of a-z and 0-9 with single hyphens between them, at most 100 characters'
const NAME = `one line of 1 to ${fieldLimits.name} characters`

/** Expected value and hint by key. Keys of glossary rules have the form `glossary.*.term`. */
const expectedValues: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    slug: [SLUG, 'Write it like tls-basics.'],
    title: [
      `one line of 1 to ${fieldLimits.title} characters`,
      'Put a title that looks like a number, or that contains a colon, in quotes.',
    ],
    version: [
      'three numbers in quotes, major.minor.patch',
      'Write it like version: "1.2.0"; without quotes 1.0 is a number.',
    ],
    domain: [NAME, 'Write the name as readers should see it.'],
    domain_slug: [SLUG, 'Omit it to derive it from the domain.'],
    subdomain: [NAME, 'Write the name as readers should see it.'],
    difficulty: [
      'one of beginner, intermediate, advanced, expert',
      'Choose by what readers should already know.',
    ],
    description: [
      `one text of 1 to ${fieldLimits.description} characters`,
      'Put a description that looks like a number in quotes.',
    ],
    tags: [`a list of at most ${fieldLimits.tags} names`, 'Write them like [security, "1.10"].'],
    'tags.*': [NAME, 'Put a tag that looks like a number in quotes.'],
    compression: [`one of ${SCHEME_NAMES.join(', ')}`, 'Omit it for minify-1.'],
    pack: ['a map of keys', 'Write the keys for packs below it, one per line.'],
    code: ['true or false', 'YAML reads yes and no as text.'],
    tokenizer: ['one of o200k_base, cl100k_base', 'Omit it for o200k_base.'],
    budget: ['a whole number of tokens, at least 1', 'It counts the content and the header.'],
    glossary: ['a list of rules', 'Write each as - {expansion: transport layer security, term: TLS}.'],
    'glossary.*': ['a rule with an expansion', 'Write {expansion: transport layer security, term: TLS}.'],
    'glossary.*.expansion': ['the phrase as it occurs in the text', 'Every rule needs one.'],
    'glossary.*.term': ['text', 'Omit it to have one chosen; put a term that looks like a number in quotes.'],
    'glossary.*.never': ['true or false', 'Write never: true to keep a phrase as it is.'],
  }),
)

/** Lists tags as tools write them: texts, whole numbers and maps with a `label`, or one text. */
function listTags(value: unknown): unknown {
  const items: unknown = typeof value === 'string' ? value.split(',') : value
  if (!Array.isArray(items)) return items
  return items.map((item: unknown) => {
    const name = typeof item === 'object' && item !== null && 'label' in item ? item.label : (item ?? '')
    if (typeof name === 'string') return name.replace(/\s+/g, ' ').trim()
    const isExact = typeof name === 'bigint' || typeof name === 'boolean' || Number.isSafeInteger(name)
    return isExact ? String(name) : name
  })
}

function line(codePoints: number): z.ZodType<string, string> {
  return z
    .string()
    .trim()
    .min(1)
    .refine((text) => text.length <= 2 * codePoints && Array.from(text).length <= codePoints)
    .refine((text) => !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text))
}

/**
 * Describes a value that its key does not accept.
 * @param path key, or key, index and name for a rule of the glossary
 * @param isShared whether the value may be meant for another tool, which makes it no error
 */
export function describeWrongValue(
  path: readonly PropertyKey[],
  root: unknown,
  found: FoundText,
  isShared: boolean,
): Finding {
  const key = path.map((step) => (typeof step === 'number' ? '*' : String(step))).join('.')
  const [expected = 'another value', hint = ''] = expectedValues.get(key) ?? []
  const value = path
    .slice(1)
    .reduce<unknown>((parent, step) => (parent as Record<PropertyKey, unknown> | undefined)?.[step], root)
  const name = nameValue(path)
  const shown = describeValue(value, found.text)
  const isOld = key === 'compression' && typeof value === 'string' && findScheme(value) !== undefined
  const advice = isOld ? suggestScheme(value) : hint + suggestValue(expected, value)
  return isShared
    ? describeKeptValue(path[0]!, `${name} (${shown})`, expected, advice, found.offset)
    : {
        rule: 'invalid-value',
        reason: `${name} must be ${expected}; found ${shown}`,
        hint: advice,
        offset: found.offset,
      }
}

/** Describes a value that is most likely right for another tool: nothing needs to be done. */
export function describeKeptValue(
  key: PropertyKey,
  shown: string,
  expected: string,
  advice: string,
  offset: number,
): Finding {
  return {
    rule: 'kept-value',
    reason: `${shown} is kept for other tools; for packs it must be ${expected}`,
    hint: `Put the pack's value under pack:. ${advice}`,
    offset,
    names: [String(key)],
  }
}

function nameValue(path: readonly PropertyKey[]): string {
  const [first, index, last] = path
  if (typeof index !== 'number') return String(first)
  if (first === 'tags') return `Tag ${index + 1}`
  return last === undefined
    ? `Rule ${index + 1} of ${String(first)}`
    : `${String(last)} of rule ${index + 1} of ${String(first)}`
}

/** As it is written: an unquoted number shows its own digits. */
function describeValue(value: unknown, text: string): string {
  if (value === undefined || value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (value instanceof Date) return 'a date'
  switch (typeof value) {
    case 'string':
      return quoteFound(value)
    case 'boolean':
      return `the boolean ${value}`
    case 'number':
    case 'bigint':
      return `the number ${/^[\w.+-]{1,80}$/.test(text) ? text : value}`
    default:
      return 'a map of keys'
  }
}

function suggestValue(expected: string, value: unknown): string {
  if (!expected.startsWith('one of ') || typeof value !== 'string') return ''
  const closest = findClosestWord(value, expected.slice('one of '.length).split(', '))
  return closest === undefined ? '' : ` Did you mean "${closest}"?`
}
