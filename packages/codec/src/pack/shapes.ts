import { VERSION_PATTERN } from './field-limits.ts'

/**
 * The fields of a JSON value that a program relies on: types as `typeof` names them, or `null`, separated by `|`; a pattern
 * of a string; a list with the shape of its items; an object with the shapes of its fields. A field whose name ends in `?`
 * may be null.
 */
export type Shape = string | RegExp | readonly [Shape] | { readonly [field: string]: Shape }

/**
 * Tells whether a value has a shape. Fields that the shape does not name may have any value.
 *
 * @example
 * fits({ slug: 'a', tags: ['b'] }, { slug: 'string', tags: ['string'] }) // true
 */
export function fits(value: unknown, shape: Shape): boolean {
  if (typeof shape === 'string') return shape.split('|').includes(value === null ? 'null' : typeof value)
  if (shape instanceof RegExp) return typeof value === 'string' && shape.test(value)
  if (typeof value !== 'object' || value === null) return false
  if (isList(shape)) return Array.isArray(value) && value.every((item) => fits(item, shape[0]))
  const fields = value as Readonly<Record<string, unknown>>
  return Object.entries(shape).every(([name, inner]) => {
    const field = fields[name.replace('?', '')]
    return (field === null && name.endsWith('?')) || fits(field, inner)
  })
}

function isList(shape: Exclude<Shape, string | RegExp>): shape is readonly [Shape] {
  return Array.isArray(shape)
}

/** A slug becomes the name of a file, a key of a lock and a word in a terminal, and a version the last two. */
const names = {
  slug: /^(?=.{1,100}$)[a-z0-9]+(-[a-z0-9]+)*$/,
  version: VERSION_PATTERN,
} as const

/** Maps names, separated by spaces, to one shape. */
export function all(shape: string, names: string): Readonly<Record<string, Shape>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, shape]))
}

const common = {
  ...all('string', 'id title domain domain_slug subdomain difficulty compression tokenizer sha256'),
  ...names,
  ...all(
    'number',
    'token_count uncompressed_estimate savings_pct rosetta_tokens net_savings_pct preview_tokens',
  ),
}

/** A pack document, as far as its digest does not prove it. */
export const documentShape: Shape = {
  ...common,
  ...all('string', 'format pack_digest preview_content rosetta content'),
  ...all('string|undefined', 'description front_matter'),
  ...all('object|undefined', 'tags metadata glossary'),
  code: 'boolean|undefined',
}

/** What lists of the API say of a pack. */
export const summaryShape: Readonly<Record<string, Shape>> = {
  ...common,
  ...all('string', 'published_at updated_at'),
  description: 'string|null',
  tags: ['string'],
}

/** What Free accounts get of a pack. */
export const previewShape: Shape = {
  ...summaryShape,
  preview: 'boolean',
  rosetta: 'null',
  content: 'string',
}

/** What a hit of a search says of its pack. */
export const foundPackShape: Shape = {
  ...all('string', 'id title domain_slug difficulty'),
  ...names,
  ...all('number', 'token_count rosetta_tokens'),
}

/** A line of the history of a pack. */
export const versionShape: Shape = {
  version: names.version,
  ...all('string', 'published_at sha256'),
  token_count: 'number',
  // Older catalogs do not send it.
  signers: 'object|undefined',
  yanked: 'boolean',
  yanked_reason: 'string|null',
}

/** A section in an outline of the API. */
export const outlineShape: Shape = {
  ...all('string', 'id title'),
  ...all('number', 'level tokens subtree_tokens'),
  path: ['string'],
  in_preview: 'boolean',
}

/** A section of a pack, as the API sends it. */
export const sectionShape: Shape = {
  pack: names.slug,
  version: names.version,
  ...all('string', 'id title content rosetta compression sha256'),
  ...all('number', 'token_count rosetta_tokens uncompressed_estimate'),
  path: ['string'],
}
