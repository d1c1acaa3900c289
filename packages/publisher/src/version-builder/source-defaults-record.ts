import { hash } from 'node:crypto'
import type { SourceDefaultsRecord } from '@packs/catalog'
import type { SourceDefaults } from '@packs/codec/source'
import { z } from 'zod'
import { PublishError } from '../publish-error.ts'

type GlossaryRule = NonNullable<SourceDefaults['glossary']>[number]

/**
 * Source defaults as they are stored: a small record, and the tables that it refers to by digest.
 */
export interface RecordedDefaults {
  readonly record: SourceDefaultsRecord
  /** JSON of the glossary and the map of front matter keys; absent if there is neither. */
  readonly tables?: Uint8Array
}

/**
 * Records values that come from outside of a source file. Equal values give equal bytes.
 *
 * The tables can be large, and all packs of a configuration share them. So jobs and versions have
 * their digest only.
 */
export function recordDefaults({ glossary, frontMatterMap, ...fields }: SourceDefaults): RecordedDefaults {
  if (glossary === undefined && frontMatterMap === undefined) return { record: fields }
  const map = frontMatterMap && Object.entries(frontMatterMap).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const rules = glossary?.map(({ expansion, term, never }) => ({ expansion, term, never }))
  const tables = Buffer.from(JSON.stringify({ front_matter_map: map, glossary: rules } satisfies Tables))
  return { record: { ...fields, tables: hash('sha256', tables) }, tables }
}

/**
 * Restores the values of {@link recordDefaults}.
 *
 * @param tables the bytes that the record refers to
 * @throws PublishError `source_missing` if they are missing or cannot be read
 */
export function restoreDefaults(
  { tables: digest, ...fields }: SourceDefaultsRecord,
  tables: Uint8Array | undefined,
): SourceDefaults {
  const defaults = fields as SourceDefaults
  if (digest === undefined) return defaults
  const { front_matter_map: map, glossary } = parseTables(tables, digest)
  return {
    ...defaults,
    ...(glossary && { glossary: glossary as readonly GlossaryRule[] }),
    ...(map && { frontMatterMap: Object.fromEntries(map) }),
  }
}

const tablesSchema = z.strictObject({
  front_matter_map: z.array(z.tuple([z.string(), z.union([z.string(), z.literal(false)])])).optional(),
  glossary: z
    .array(
      z.strictObject({
        expansion: z.string(),
        term: z.string().optional(),
        never: z.boolean().optional(),
      }),
    )
    .optional(),
})

type Tables = z.input<typeof tablesSchema>

function parseTables(bytes: Uint8Array | undefined, digest: string): Tables {
  const name = `the glossary and map of keys ${digest.slice(0, 12)}`
  if (bytes === undefined) throw missingError(`The catalog lacks ${name}`)
  try {
    return tablesSchema.parse(JSON.parse(Buffer.from(bytes).toString()))
  } catch {
    throw missingError(`The catalog has ${name}, but it cannot be read`)
  }
}

function missingError(message: string): PublishError {
  const hint = 'Point producers and workers at the same database, then publish again.'
  return new PublishError('source_missing', message, hint)
}
