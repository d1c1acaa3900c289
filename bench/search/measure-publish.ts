import type { Catalog, NewVersion } from '@packs/catalog'
import { decode } from '@packs/codec'
import { outlineSections } from '@packs/codec/sections'
import { loadTokenizer } from '@packs/codec/tokens'
import { buildVersion } from '@packs/publisher'
import { describePack } from '@packs/search'
import type { BenchDocument } from '../documents.ts'
import type { IndexTables } from './index-size.ts'
import { createNewVersion } from '../catalog/make-versions.ts'

/** Milliseconds per pack. */
export interface PublishFigures {
  readonly packs: number
  readonly build: number
  /** Commit of one pack with its index, which includes `describe`. */
  readonly commit: number
  /** Finding sections and terms, before the transaction. */
  readonly describe: number
  /** Commit of one pack without the index. */
  readonly plainCommit: number
  /** Build and commit with the index ÷ without. */
  readonly ratio: number
}

/** Publishes documents one by one into a filled catalog, first with the index, then, after it was dropped, without. */
export async function measurePublish(
  catalog: Catalog,
  index: IndexTables,
  documents: readonly BenchDocument[],
): Promise<PublishFigures> {
  const count = documents.length
  const built: NewVersion[] = []
  const build = await time(count, async (place) => {
    const { file, text } = documents[place]!
    const slug = `published-${place}`
    const { pack } = await buildVersion(
      { bytes: Buffer.from(text), path: file, defaults: { slug } },
      undefined,
    )
    built.push(createNewVersion(pack))
  })
  const describe = await time(count, (place) => describeOne(built[place]!))
  const commit = await time(count, async (place) => void (await catalog.packs.commit([built[place]!])))
  await index.drop()
  const others = await Promise.all(
    documents.map(async ({ file, text }, place) => {
      const given = { slug: `plain-${place}` }
      const { pack } = await buildVersion(
        { bytes: Buffer.from(text), path: file, defaults: given },
        undefined,
      )
      return createNewVersion(pack)
    }),
  )
  const dropped = await time(count, async (place) => void (await catalog.packs.commit([others[place]!])))
  // A commit describes its packs before it sees that the index is gone.
  const plainCommit = Math.max(0, dropped - describe)
  return {
    packs: count,
    build,
    commit,
    describe,
    plainCommit,
    ratio: (build + commit) / (build + plainCommit),
  }
}

async function describeOne({ pack }: NewVersion): Promise<void> {
  const body = decode(pack.content, pack.rosetta)
  describePack(pack, body, outlineSections(body, await loadTokenizer(pack.tokenizer)))
}

/** Returns the mean milliseconds of `count` steps. */
async function time(count: number, step: (place: number) => Promise<void>): Promise<number> {
  const begin = performance.now()
  for (let place = 0; place < count; place++) await step(place)
  return (performance.now() - begin) / count
}
