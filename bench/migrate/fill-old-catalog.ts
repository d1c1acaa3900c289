import { createOldDatabase } from '../../packages/catalog/test/migrations/old-database.ts'
import { openRawClient } from '../../packages/catalog/test/migrations/raw-client.ts'

/** Packs of the recorded database come before this number. */
const FIRST = 1000
const ROWS = 10_000

/**
 * Creates a database of step 0002 and fills it by SQL: per pack a version, with a summary of 1 KB, a document of 2 KB, a
 * provenance of 0.5 KB and a source of 2 KB; every hundredth source has no version.
 */
export async function fillOldCatalog(url: string, packs: number): Promise<void> {
  await createOldDatabase(url)
  const client = await openRawClient(url)
  const parts = client.type === 'sqlite' ? sqliteParts : postgresParts
  for (let start = FIRST; start < FIRST + packs; start += ROWS) {
    const end = Math.min(start + ROWS, FIRST + packs)
    await client.run('begin')
    for (const statement of createStatements(parts, start, end)) await client.run(statement)
    await client.run('commit')
  }
  await client.run(`update catalog_state set sequence = ${FIRST + packs}`)
  if (client.type === 'sqlite') await client.run('pragma wal_checkpoint(truncate)')
  else await client.run('vacuum analyze')
  await client.close()
}

/** Expressions for the row of number `n`; texts are random enough that they hardly compress. */
interface Parts {
  readonly numbers: (start: number, end: number) => string
  /** 32 hexadecimal digits that follow from a text. */
  readonly digits: (text: string) => string
  readonly noise: (bytes: number) => string
  readonly bytes: (text: string) => string
  readonly gramColumn: string
  readonly gramValue: string
}

const sqliteParts: Parts = {
  numbers: (start, end) =>
    `(with recursive numbers (n) as (select ${start} union all select n + 1 from numbers where n < ${end - 1}) select n from numbers)`,
  digits: (text) => `printf('%016x%016x', ${text} * 2654435761, ${text} * 40503)`,
  noise: (bytes) => `hex(randomblob(${bytes / 2}))`,
  bytes: (text) => `cast(${text} as blob)`,
  gramColumn: '',
  gramValue: '',
}

const postgresParts: Parts = {
  numbers: (start, end) => `generate_series(${start}, ${end - 1}) as numbers (n)`,
  digits: (text) => `md5(${text}::text)`,
  noise: (bytes) =>
    `(select string_agg(md5(n::text || i::text), '') from generate_series(1, ${Math.ceil(bytes / 32)}) as i)`,
  bytes: (text) => `convert_to(${text}, 'UTF8')`,
  gramColumn: ', title_grams',
  gramValue: `, array[substr(md5(n::text), 1, 1), substr(md5(n::text), 1, 2)]`,
}

function createStatements(parts: Parts, start: number, end: number): readonly string[] {
  const { digits, noise, bytes, gramColumn, gramValue } = parts
  const numbers = parts.numbers(start, end)
  const sha256 = `${digits('n')} || ${digits('n')}`
  const title = `'pack ' || substr(${digits('n')}, 1, 12) || ' about ' || substr(${digits('(n % 1000)')}, 20, 8)`
  const time = `'2026-01-01T00:00:00.000Z'`
  const savings = `((n % 10000 - 2000) / 100.0)`
  const summary = `'{"slug":"pack-' || n || '","title":"' || ${title} || '","tags":"' || ${noise(800)} || '","net_savings_pct":' || ${savings} || ',"token_count":' || (n % 5000) || '}'`
  const provenance = `'{"source_sha256":"' || ${sha256} || '","path":"docs/' || n || '.md","reasons":["' || ${noise(384)} || '"]}'`
  return [
    `insert into packs (number, id, slug, sequence, updated_at, head, latest, title_key, domain, domain_slug, difficulty, tokens${gramColumn})
      select n, 'pk_' || ${digits('n')}, 'pack-' || n, n, ${time}, n, n, ${title}, 'Security', 'security-' || (n % 40), 'beginner', n % 5000${gramValue}
      from ${numbers}`,
    `insert into versions (sequence, pack, major, minor, patch, published_at, source_digest, parent, provenance, summary, domain_slug, difficulty, yanked_reason, document)
      select n, n, 1, 0, 0, ${time}, ${sha256}, null, ${provenance}, ${summary}, 'security', 'beginner', null, ${bytes(noise(2048))}
      from ${numbers}`,
    `insert into sources (sha256, bytes) select ${sha256}, ${bytes(noise(2048))} from ${numbers}`,
    `insert into sources (sha256, bytes)
      select 'draft' || ${digits('n')}, ${bytes(noise(2048))} from ${numbers} where n % 100 = 0`,
  ]
}
