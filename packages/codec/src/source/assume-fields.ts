import { findFirstHeading } from '../markdown/find-first-heading.ts'
import type { LineTable } from '../markdown/line-table.ts'
import { sha256Hex } from '../pack/digests.ts'
import { type Difficulty, MAX_SLUG, MAX_TITLE } from '../pack/field-limits.ts'
import type { FrontMatter } from './front-matter-schema.ts'
import type { SourceOptions } from './types.ts'

/** The fields that people see, all there. */
export interface Fields {
  readonly slug: string
  readonly title: string
  readonly domain: string
  readonly domainSlug: string
  readonly subdomain: string
  readonly difficulty: Difficulty
}

/** A field that was assumed, its value, and where that comes from. */
export interface Assumption {
  readonly field: string
  readonly value: string
  readonly from?: string
}

/** Fills the fields that the author left out, and tells which. */
export function assumeFields(
  values: FrontMatter,
  scan: () => LineTable,
  { path, folder }: SourceOptions,
): { readonly fields: Fields; readonly assumptions: readonly Assumption[] } {
  const assumptions: Assumption[] = []
  const assume = <T extends string>(field: string, value: T, from?: string): T => {
    assumptions.push(from === undefined ? { field, value } : { field, value, from })
    return value
  }
  const name = deriveName(path, folder)
  const assumeTitle = (): string => {
    const heading = cutTitle(findFirstHeading(scan()) ?? '')
    return heading === ''
      ? assume('title', cutTitle(name) || 'Untitled', 'the file name')
      : assume('title', heading, 'the first heading')
  }
  const slug = values.slug ?? assume('slug', avoidReserved(deriveSlug(name, 'pack')), 'the file name')
  const title = values.title ?? assumeTitle()
  const domain = values.domain ?? assume('domain', 'General')
  const domainSlug = values.domain_slug ?? deriveSlug(domain, 'domain')
  if (
    values.domain !== undefined &&
    values.domain_slug === undefined &&
    /^domain-[0-9a-f]{8}$/.test(domainSlug)
  ) {
    assume('domain_slug', domainSlug, 'the domain, which has nothing of a-z and 0-9')
  }
  const subdomain = values.subdomain ?? assume('subdomain', 'General')
  const difficulty = values.difficulty ?? assume('difficulty', 'intermediate')
  return { fields: { slug, title, domain, domainSlug, subdomain, difficulty }, assumptions }
}

function avoidReserved(slug: string): string {
  return slug === 'download' ? 'download-pack' : slug
}

/** One line without control characters, of at most the characters a title may have. */
function cutTitle(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cs}\u2028\u2029]+/gu, ' ').trim()
  const characters = Array.from(line.slice(0, 2 * MAX_TITLE + 2))
  return characters.length <= MAX_TITLE
    ? line
    : `${characters
        .slice(0, MAX_TITLE - 1)
        .join('')
        .trimEnd()}…`
}

/**
 * Makes a slug of a name: accents are dropped, everything but `[a-z0-9]` becomes a hyphen.
 *
 * Where nothing of `[a-z0-9]` is left it is `prefix`, a hyphen and 8 hexadecimal digits of the name's SHA-256.
 *
 * @example
 * deriveSlug('TLS Basics (2nd)', 'pack') // 'tls-basics-2nd'
 */
export function deriveSlug(name: string, prefix: string): string {
  const plain = name
    .slice(0, 4 * MAX_SLUG)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG + 1)
    .replace(/^-/, '')
    .slice(0, MAX_SLUG)
    .replace(/-$/, '')
  return plain === '' ? `${prefix}-${sha256Hex(name).slice(0, 8)}` : plain
}

/** The name that a file gives to its pack: its own without the extension, or its folder's for README and index. */
function deriveName(path: string, folder?: string): string {
  const parts = path.split(/[/\\]/).filter((part) => part !== '' && part !== '.' && part !== '..')
  const name = (parts.at(-1) ?? path).replace(/(?<=.)\.(?:md|markdown|mdown|mkd|mdx|txt)$/i, '')
  if (!/^(?:readme|index)$/i.test(name)) return name
  return parts.at(-2) ?? folder ?? name
}
