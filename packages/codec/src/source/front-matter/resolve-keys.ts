import type { SourceDefaults } from '../types.ts'
import { isPlainMap } from './collect-metadata.ts'
import { type FrontMatterKey, frontMatterKeys, isSharedKey } from './front-matter-schema.ts'

/** A value for a key of ours, and where it is written. */
export interface KeySource {
  readonly value: unknown
  readonly path: readonly PropertyKey[]
  /** Whether a value that is not ours may be meant for another tool. */
  readonly isShared: boolean
}

/** The keys of a front matter, by what they are for. */
export interface ResolvedKeys {
  readonly fields: ReadonlyMap<FrontMatterKey, KeySource>
  /** Keys under `pack:` that have no meaning. */
  readonly unknown: readonly string[]
  /** Keys at the top that are not for us, in order. */
  readonly others: readonly string[]
  /** The part of the map that took effect. */
  readonly map: NonNullable<SourceDefaults['frontMatterMap']>
}

/**
 * Decides which value each key of ours has. One under `pack:` is first, then one that `map` reads
 * from another key, then one at the top, where the case of a key that other tools use too does not
 * matter. What is not read belongs to other tools, except for keys that `map` drops.
 */
export function resolveKeys(
  top: Readonly<Record<string, unknown>>,
  map: NonNullable<SourceDefaults['frontMatterMap']>,
): ResolvedKeys {
  const values = new Map(Object.entries(top))
  const fields = new Map<FrontMatterKey, KeySource>()
  const used: Record<string, string | false> = {}
  const unknown: string[] = []
  for (const [key, from] of Object.entries(map)) if (from === false && values.delete(key)) used[key] = false
  const pack = values.get('pack')
  if (isPlainMap(pack)) {
    values.delete('pack')
    for (const [key, value] of Object.entries(pack)) {
      if (isKey(key)) fields.set(key, { value, path: ['pack', key], isShared: false })
      else unknown.push(key)
    }
  }
  const take = (key: FrontMatterKey, from: string): boolean => {
    if (fields.has(key) || !values.has(from)) return false
    fields.set(key, { value: values.get(from), path: [from], isShared: isSharedKey(key) })
    return true
  }
  for (const [key, from] of Object.entries(map)) {
    if (from !== false && isKey(key) && take(key, from)) used[key] = from
  }
  for (const key of frontMatterKeys) take(key, key)
  for (const from of values.keys()) {
    const key = from.toLowerCase()
    if (isKey(key) && isSharedKey(key)) take(key, from)
  }
  const read = new Set([...fields.values()].map(({ path }) => path[0]))
  return { fields, unknown, others: [...values.keys()].filter((key) => !read.has(key)), map: used }
}

function isKey(key: string): key is FrontMatterKey {
  return (frontMatterKeys as readonly string[]).includes(key)
}
