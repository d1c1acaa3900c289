import type { FrontMatter } from './front-matter/front-matter-schema.ts'
import type { GivenFields } from './types.ts'

/** The values of a file and those from outside of it together. */
export interface MergedValues {
  readonly values: FrontMatter
  /** The given values that took effect, absent if none did. */
  readonly given?: GivenFields
}

/**
 * Adds the given values to those of a front matter. The file wins; the rules of both glossaries apply, the file's first.
 * A given rule is left out if the file has a rule for its phrase, or uses its term for another phrase.
 *
 * @param map the part of `given.frontMatterMap` that took effect
 */
export function mergeGiven(
  own: FrontMatter,
  given: GivenFields,
  map: GivenFields['frontMatterMap'] = {},
): MergedValues {
  const ownRules = own.glossary ?? []
  const expansions = new Set(ownRules.map(({ expansion }) => expansion))
  const terms = new Set(ownRules.flatMap(({ term }) => term ?? []))
  const rules = (given.glossary ?? []).filter(
    ({ expansion, term }) => !expansions.has(expansion) && (term === undefined || !terms.has(term)),
  )
  const fields: Pick<GivenFields, (typeof FIELDS)[number]> = Object.fromEntries(
    FIELDS.filter((field) => own[field] === undefined && given[field] !== undefined).map((field) => [
      field,
      given[field],
    ]),
  )
  const used: GivenFields = {
    ...fields,
    ...(given.worthHeader && { worthHeader: given.worthHeader }),
    ...(rules.length === 0 ? {} : { glossary: rules }),
    ...(Object.keys(map).length === 0 ? {} : { frontMatterMap: map }),
  }
  const values = { ...own, ...fields, glossary: [...ownRules, ...rules] }
  return Object.keys(used).length === 0 ? { values } : { values, given: used }
}

/** Fields that have one value. */
const FIELDS = ['slug', 'title', 'domain', 'subdomain', 'difficulty', 'compression', 'budget'] as const
