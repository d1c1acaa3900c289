import { createHash, hash } from 'node:crypto'
import type { BuildSettings, SourceDefaultsRecord } from '@packs/catalog'
import { parseSource, type SourceDefaults, type Source } from '@packs/codec/pack'
import { PublishError, type SourceMessage } from '../publish-error.ts'
import { z } from 'zod'

export interface SourceFile {
  readonly bytes: Uint8Array
  /** In messages. Gives slug and title if the source names none; for a README, its folder does. */
  readonly path: string
  /** Values from outside of the file; its front matter overrides them. */
  readonly defaults?: SourceDefaults
}

export interface ReadSource {
  readonly file: SourceFile
  readonly source: Source
  readonly sourceDigest: string
  readonly settings: BuildSettings
  readonly messages: readonly SourceMessage[]
}

/** @throws PublishError `bad_source` */
export function readSource(file: SourceFile): ReadSource {
  const { bytes, path, defaults } = file
  const { source, messages } = parseSource(bytes, { path, ...(defaults && { defaults }) })
  if (source === undefined) throw sourceError(path, messages)
  const settings = resolveSettings(source)
  const record = source.defaults && recordDefaults(source.defaults).record
  return { file, source, sourceDigest: digestSource(bytes, settings, record), settings, messages }
}

export function sourceError(path: string, messages: readonly SourceMessage[]): PublishError {
  const errors = messages.filter(({ fatal }) => fatal === true)
  const [first] = errors
  const count = errors.length === 1 ? 'an error' : `${errors.length} errors, the first`
  return new PublishError(
    'bad_source',
    `${path} has ${count} on line ${first?.line ?? 1}: ${first?.ruleId ?? 'source'}`,
    'Run `pack build` on it to see what is wrong, and correct it.',
    { messages },
  )
}

export function resolveSettings({ compression, code, tokenizer }: Source): BuildSettings {
  return { scheme: compression, code, tokenizer }
}

export function hashBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Equal digests mean that a source was published before, with the same values from outside. */
export function digestSource(
  bytes: Uint8Array,
  { scheme, code, tokenizer }: BuildSettings,
  defaults?: SourceDefaultsRecord,
): string {
  const parts = [hashBytes(bytes), scheme, code, tokenizer, ...(defaults ? [defaults] : [])]
  return hashBytes(Buffer.from(serializeSorted(parts)))
}

/** With the keys of all objects sorted, so that equal values give equal texts. */
export function serializeSorted(value: unknown): string {
  const sort = (_key: string, item: unknown): unknown =>
    isObject(item) ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1))) : item
  return JSON.stringify(value, sort) ?? ''
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

type GlossaryRule = NonNullable<SourceDefaults['glossary']>[number]

/** A small record, and the tables that it refers to by digest. */
export interface RecordedDefaults {
  readonly record: SourceDefaultsRecord
  /** JSON of the glossary and the map of front matter keys; absent if there is neither. */
  readonly tables?: Uint8Array
}

/** Equal values give equal bytes. Tables can be large and shared, so a record has their digest. */
export function recordDefaults({ glossary, frontMatterMap, ...fields }: SourceDefaults): RecordedDefaults {
  if (glossary === undefined && frontMatterMap === undefined) return { record: fields }
  const map = frontMatterMap && Object.entries(frontMatterMap).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const rules = glossary?.map(({ expansion, term, never }) => ({ expansion, term, never }))
  const tables = Buffer.from(JSON.stringify({ front_matter_map: map, glossary: rules } satisfies Tables))
  return { record: { ...fields, tables: hash('sha256', tables) }, tables }
}

/** @throws PublishError `source_missing` if the tables are missing or cannot be read */
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
