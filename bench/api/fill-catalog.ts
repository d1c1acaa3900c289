import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createClaimedAccount, createKey, openCatalog } from '@packs/catalog'
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
        return { ...version, pack: { ...version.pack, content, domain_slug: LARGE_DOMAIN } }
      }),
    )
    tick()
  }
  const now = new Date()
  const { account } = await createClaimedAccount(
    catalog,
    { email: 'bench@example.org', tier: 'pro', daily: 999_999_999, actor },
    now,
  )
  const { key } = await createKey(catalog, { accountId: account.id, name: 'bench', actor }, now)
  await catalog.close()
  return key
}
