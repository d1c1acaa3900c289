import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { type Database, type Queries, splitParts } from '../database/database.ts'
import { indexTables } from './create-index-tables.ts'

/** Rows of one statement; their columns stay below the parameter limits of both databases. */
const ROWS_PER_STATEMENT = 500
/** With more sections it is faster to read the pack. */
const MAX_SECTIONS = 500

export interface PackTexts {
  readonly pack: number
  /** Sequence number of the version; `null` for none. */
  readonly latest: number | null
  /** In order; `undefined` for none. */
  readonly texts: readonly string[] | undefined
}

export async function writeTexts(transaction: Queries, packs: readonly PackTexts[]): Promise<void> {
  for (const part of splitParts(packs, ROWS_PER_STATEMENT)) {
    const numbers = part.map(({ pack }) => pack)
    await sql`delete from section_texts where sequence in
      (select sequence from versions where pack in (${sql.join(numbers)}))`.execute(transaction)
  }
  const rows = packs.flatMap(({ latest, texts = [] }) =>
    latest === null ? [] : texts.map((text, ordinal) => ({ sequence: latest, ordinal, ...encode(text) })),
  )
  for (const part of splitParts(rows, ROWS_PER_STATEMENT))
    await transaction.insertInto('section_texts').values(part).execute()
}

/** Encodes a text; `null` for one with half of a surrogate pair, which UTF-8 cannot hold. */
function encode(text: string): { readonly sha256: Uint8Array; readonly text: Uint8Array | null } {
  const bytes = Buffer.from(text)
  return { sha256: digest(bytes), text: text.isWellFormed() ? bytes : null }
}

function digest(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}

/** Returns texts by section; `undefined` if one is missing or damaged: then the pack is read. */
export async function readTexts(
  { reads, dialect }: Pick<Database, 'reads' | 'dialect'>,
  sequence: number,
  ordinals: readonly number[],
): Promise<ReadonlyMap<number, string> | undefined> {
  if (ordinals.length === 0) return new Map()
  if (ordinals.length > MAX_SECTIONS) return undefined
  const query = reads
    .selectFrom('section_texts')
    .select(['ordinal', 'sha256', 'text'])
    .where('sequence', '=', sequence)
    .where('ordinal', 'in', [...ordinals])
  const rows = await query.execute().catch((error: unknown) => {
    if (!indexTables(dialect).isDamage(error)) throw error
    return []
  })
  const texts = new Map<number, string>()
  for (const { ordinal, sha256, text } of rows)
    if (text !== null && digest(text).equals(sha256)) texts.set(ordinal, Buffer.from(text).toString())
  return texts.size === new Set(ordinals).size ? texts : undefined
}

export async function examineTexts(
  reads: Queries,
  sequence: number,
  texts: readonly string[],
): Promise<boolean> {
  const rows = await reads
    .selectFrom('section_texts')
    .select(['ordinal', 'sha256', 'text'])
    .where('sequence', '=', sequence)
    .orderBy('ordinal')
    .execute()
  const isRight = ({ ordinal, sha256, text }: (typeof rows)[number], index: number): boolean => {
    const expected = encode(texts[index]!)
    const isSame = text === null ? expected.text === null : digest(text).equals(expected.sha256)
    return ordinal === index && isSame && Buffer.compare(sha256, expected.sha256) === 0
  }
  return rows.length === texts.length && rows.every(isRight)
}
