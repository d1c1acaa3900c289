import { createHash } from 'node:crypto'
import { makeVersion, type VersionSketch } from '../make-version.ts'
import { openRawClient, type RawClient, type Row } from './raw-client.ts'

/** What the tests use of the program of step 0002. Its statements are those of the recorded database. */
export interface OldProgram {
  /** Commits the first version of new packs, in one transaction, or a further version of each known one. */
  commit(sketches: readonly OldVersion[]): Promise<void>
  yank(slug: string): Promise<void>
  /** Slugs in order of their titles. */
  list(limit: number): Promise<readonly string[]>
  /** Title of the latest version. */
  latest(slug: string): Promise<string | undefined>
  putSource(text: string): Promise<string>
  close(): Promise<void>
}

export interface OldVersion extends VersionSketch {
  readonly sourceText?: string
}

export async function openOldProgram(url: string): Promise<OldProgram> {
  const client = await openRawClient(url)
  const run = (sql: string, ...values: unknown[]): Promise<readonly Row[]> => {
    let count = 0
    const native = client.type === 'postgres' ? sql.replaceAll('?', () => `$${++count}`) : sql
    return client.run(native, values)
  }
  const insert = (table: string, row: Row): Promise<readonly Row[]> => {
    const columns = Object.keys(row).map((name) => `"${name}"`)
    const marks = columns.map(() => '?').join(', ')
    return run(`insert into "${table}" (${columns.join(', ')}) values (${marks})`, ...Object.values(row))
  }

  /** Under the lock of all changes, like the program. */
  async function change(work: (advance: () => number) => Promise<void>): Promise<void> {
    const begin =
      client.type === 'postgres' ? 'start transaction isolation level read committed' : 'begin immediate'
    await run(begin)
    try {
      const [state] = await run(
        'update "catalog_state" set "sequence" = "sequence" returning "sequence", "updated_at"',
      )
      let sequence = Number(state?.['sequence'])
      await work(() => ++sequence)
      await run('update "catalog_state" set "sequence" = ?, "updated_at" = ?', sequence, TIME)
      await run('commit')
    } catch (error) {
      await run('rollback')
      throw error
    }
  }

  async function updatePack(number: number, sequence: number): Promise<void> {
    const [latest] = await run(
      `select "sequence", "summary" from "versions" where "pack" = ? and "yanked_reason" is null
       order by "major" desc, "minor" desc, "patch" desc limit 1`,
      number,
    )
    const [head] = await run('select max("sequence") as "head" from "versions" where "pack" = ?', number)
    if (latest === undefined) {
      await run(
        'update "packs" set "sequence" = ?, "updated_at" = ?, "head" = ?, "latest" = ? where "number" = ?',
        sequence,
        TIME,
        head?.['head'],
        null,
        number,
      )
      return
    }
    const { title } = JSON.parse(String(latest['summary'])) as { title: string }
    await run(
      `update "packs" set "sequence" = ?, "updated_at" = ?, "title_key" = ?, "head" = ?, "latest" = ?
       where "number" = ?`,
      sequence,
      TIME,
      title.toLowerCase(),
      head?.['head'],
      latest['sequence'],
      number,
    )
  }

  return {
    commit: (sketches) =>
      change(async (advance) => {
        for (const sketch of sketches) {
          const { pack, version } = makeRows(sketch, advance(), client)
          const [known] = await run('select "number" from "packs" where "slug" = ?', sketch.slug)
          if (known === undefined) {
            await insert('packs', pack)
            await insert('versions', version)
          } else {
            const number = Number(known['number'])
            await insert('versions', { ...version, pack: number })
            await updatePack(number, Number(version['sequence']))
          }
        }
      }),

    yank: (slug) =>
      change(async (advance) => {
        const [pack] = await run('select "number", "latest" from "packs" where "slug" = ?', slug)
        await run('update "versions" set "yanked_reason" = ? where "sequence" = ?', 'wrong', pack?.['latest'])
        await updatePack(Number(pack?.['number']), advance())
      }),

    async list(limit) {
      const rows = await run(
        `select "packs"."slug", "versions"."summary", "versions"."published_at", "packs"."updated_at" from (
           select "id", "title_key" from "packs" where "packs"."latest" is not null
           order by "title_key", "id" limit ? offset ?) as "page"
         inner join "packs" on "packs"."id" = "page"."id"
         inner join "versions" on "versions"."sequence" = "packs"."latest"
         order by "page"."title_key", "page"."id"`,
        limit,
        0,
      )
      return rows.map(({ slug }) => String(slug))
    },

    async latest(slug) {
      const [row] = await run(
        `select "versions"."summary", "versions"."document" from "packs"
         inner join "versions" on "versions"."sequence" = "packs"."latest" where "packs"."slug" = ?`,
        slug,
      )
      return row && (JSON.parse(String(row['summary'])) as { title: string }).title
    },

    async putSource(text) {
      const sha256 = hash(text)
      await run(
        'insert into "sources" ("sha256", "bytes") values (?, ?) on conflict ("sha256") do nothing',
        sha256,
        Buffer.from(text),
      )
      return sha256
    },

    close: () => client.close(),
  }
}

const TIME = '2026-02-01T00:00:00.000Z'

function makeRows(
  sketch: OldVersion,
  sequence: number,
  { type }: RawClient,
): { readonly pack: Row; readonly version: Row } {
  const { pack, parent, provenance, sourceDigest } = makeVersion(sketch)
  const { content, rosetta: _rosetta, preview_content: _preview, ...summary } = pack
  const [major, minor, patch] = pack.version.split('.').map(Number)
  const source = sketch.sourceText === undefined ? {} : { source_sha256: hash(sketch.sourceText) }
  const { domain_slug, difficulty } = pack
  return {
    pack: {
      number: sequence,
      id: pack.id,
      slug: pack.slug,
      sequence,
      updated_at: TIME,
      head: sequence,
      latest: sequence,
      title_key: pack.title.toLowerCase(),
      ...(type === 'postgres' && { title_grams: [] }),
      domain: pack.domain,
      domain_slug,
      difficulty,
      tokens: pack.token_count,
    },
    version: {
      sequence,
      pack: sequence,
      major,
      minor,
      patch,
      published_at: TIME,
      source_digest: sourceDigest,
      parent,
      provenance: JSON.stringify({ ...provenance, ...source }),
      summary: JSON.stringify(summary),
      domain_slug,
      difficulty,
      yanked_reason: null,
      document: Buffer.from(content),
    },
  }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
