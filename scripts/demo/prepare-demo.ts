import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openCatalog, type Catalog, type Tier } from '@packs/catalog'
import { createInProcessRunner, readSource } from '@packs/publisher'
import { isAlive, type DemoRun } from './demo-run.ts'

/** The packs of the demo and the keys to them. */
export interface Demo {
  readonly packs: number
  readonly freeKey: string
  readonly proKey: string
  /** Claim code that opens the Pro account. */
  readonly claim: { readonly email: string; readonly code: string }
}

const DOMAIN = 'demo.invalid'
const actor = { kind: 'system', id: 'demo' } as const

/** Publishes sources into the embedded catalog of a folder, sets it online and creates new keys. Revokes keys of runs that have ended. */
export async function prepareDemo(sources: string, folder: string, run: DemoRun): Promise<Demo> {
  const now = new Date()
  const catalog = await openCatalog({ url: `sqlite:${join(folder, 'catalog.sqlite')}` })
  try {
    const packs = await publishAll(catalog, sources)
    await catalog.settings.setMode('online', { actor })
    await revokeEnded(catalog, now)
    const free = await addCustomer(catalog, 'free', run, now)
    const pro = await addCustomer(catalog, 'pro', run, now)
    const claim = { email: pro.email, code: pro.claimCode }
    return { packs, freeKey: free.key, proKey: pro.key, claim }
  } finally {
    await catalog.close()
  }
}

async function publishAll(catalog: Catalog, sources: string): Promise<number> {
  const requests = globSync('**/*.{md,mdx}', { cwd: sources })
    .toSorted()
    .map((name) => {
      const bytes = readFileSync(join(sources, name))
      return { ...readSource({ bytes, path: name }), gitCommit: null, actor }
    })
  const runner = createInProcessRunner(catalog)
  const results = await runner.publish(requests, { wait: true })
  await runner.close()
  const failed = results.find(({ status }) => status !== 'published' && status !== 'unchanged')
  if (failed) throw new Error(`${failed.slug} cannot be published: ${failed.message ?? failed.status}`)
  return results.length
}

async function revokeEnded(catalog: Catalog, now: Date): Promise<void> {
  for (const { id, email } of await catalog.accounts.list()) {
    const [user = '', domain] = email.split('@')
    if (domain !== DOMAIN) continue
    const keys = (await catalog.keys.list(id)).filter((key) => key.revoked_at === null)
    if (keys.length === 0 || (await isAlive(user.replace(/^(?:free|pro)-/, '')))) continue
    for (const key of keys) await catalog.keys.revoke(key.id, actor, now)
  }
}

/** Creates a new account for each run, because requests counted today stay counted. */
async function addCustomer(
  catalog: Catalog,
  tier: Tier,
  run: DemoRun,
  now: Date,
): Promise<{ readonly email: string; readonly claimCode: string; readonly key: string }> {
  const email = `${tier}-${run.name}@${DOMAIN}`
  const { account, claimCode } = await catalog.accounts.createClaimed(
    { email, tier, daily: null, actor },
    now,
  )
  const { key } = await catalog.keys.create({ accountId: account.id, name: 'demo', actor }, now)
  return { email, claimCode, key }
}
