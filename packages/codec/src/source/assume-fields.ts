import { findFirstHeading } from '../markdown/find-headings.ts'
import type { LineTable } from '../markdown/line-table.ts'
import { cutTitle } from '../pack/field-limits.ts'
import type { Difficulty } from '../pack/pack-schema.ts'
import { deriveName, deriveNameSlug, deriveSlug } from './derive-slug.ts'
import type { FrontMatter } from './front-matter/front-matter-schema.ts'
import type { SourceOptions } from './types.ts'

/** The descriptive fields of a source, all present. */
export interface Fields {
  readonly slug: string
  readonly title: string
  readonly domain: string
  readonly domainSlug: string
  readonly subdomain: string
  readonly difficulty: Difficulty
}

/** An assumed field, its value, and the origin of the value. */
export interface Assumption {
  readonly field: string
  readonly value: string
  readonly from?: string
}

/**
 * Fills in the fields that neither the author nor the caller gives, and lists them.
 *
 * @param scan returns the lines of the body; called only if the title comes from the first heading
 */
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
  const assumeTitle = (): string => {
    const heading = cutTitle(findFirstHeading(scan()) ?? '')
    return heading === ''
      ? assume('title', cutTitle(deriveName(path, folder)) || 'Untitled', 'the file name')
      : assume('title', heading, 'the first heading')
  }
  const slug = values.slug ?? assume('slug', deriveNameSlug(path, folder), 'the file name')
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
