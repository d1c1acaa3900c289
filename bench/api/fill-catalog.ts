import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openCatalog, type Catalog, type NewVersion } from '@packs/catalog'
import { derivePackId, sealPack } from '@packs/codec/pack'
import { createVersionMaker } from '../catalog/make-versions.ts'
import { createProgress } from '../progress.ts'

/** Characters of each large pack: the one requested repeatedly and those downloaded. */
const TEXT = 19_500
/** Number of large packs. */
export const LARGE_PACKS = 100
export const LARGE_DOMAIN = 'large'
const RELEASE = 500
const actor = { kind: 'system', id: 'bench' } as const

/** Fills the embedded catalog of a folder with packs, and returns a Pro key with a practically unlimited quota. */
export async function fillCatalog(root: string, folder: string, size: number): Promise<string> {
  mkdirSync(folder, { recursive: true })
  const makeVersion = createVersionMaker(root)
  const catalog = await openCatalog({ url: `sqlite:${join(folder, 'catalog.sqlite')}` })
  const tick = createProgress(`${size} packs`, Math.ceil(size / RELEASE))
  for (let filled = 0; filled < size; filled += RELEASE) {
    await catalog.packs.commit(
      Array.from({ length: Math.min(RELEASE, size - filled) }, (_, place) => {
        const version = makeVersion(filled + place)
        if (filled + place >= LARGE_PACKS) return version
        const content = version.pack.content.repeat(10).slice(0, TEXT)
        return changePack(version, { content, domain_slug: LARGE_DOMAIN })
      }),
    )
    tick()
  }
  const key = await createProKey(catalog)
  await catalog.close()
  return key
}

export async function createProKey(catalog: Catalog): Promise<string> {
  const now = new Date()
  const { account } = await catalog.accounts.createClaimed(
    { email: `bench-${crypto.randomUUID()}@example.org`, tier: 'pro', daily: 999_999_999, actor },
    now,
  )
  const { key } = await catalog.keys.create({ accountId: account.id, name: 'bench', actor }, now)
  return key
}

/** Number of packs that visitors open. */
export const VISITED_PACKS = 10
const VISITED_BYTES = 15 * 1024 * 1024
const LINE = 'The CA signs a certificate for each name, and a log of certificates is public.\n\n'

/** Fills a database with ten packs of 15 MB, `huge-0` to `huge-9`, and a small one, `pack-0`. Returns a Pro key. */
export async function fillVisitedCatalog(root: string, url: string): Promise<string> {
  const makeVersion = createVersionMaker(root)
  const catalog = await openCatalog({ url })
  await catalog.packs.commit([makeVersion(0)])
  for (let at = 0; at < VISITED_PACKS; at++) {
    const content = `# Huge ${at}\n\n${LINE.repeat(VISITED_BYTES / LINE.length)}`
    const slug = `huge-${at}`
    const version = changePack(makeVersion(1 + at), {
      id: derivePackId(slug),
      slug,
      content,
      preview_content: content.slice(0, VISITED_BYTES / 5),
      compression: 'glossary-1',
      rosetta: '[DECODE] CA=certificate authority',
    })
    await catalog.packs.commit([version])
  }
  const key = await createProKey(catalog)
  await catalog.close()
  return key
}

function changePack(version: NewVersion, changes: Partial<NewVersion['pack']>): NewVersion {
  const { pack_digest: _digest, ...pack } = version.pack
  return { ...version, pack: sealPack({ ...pack, ...changes }) }
}
