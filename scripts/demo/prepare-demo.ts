import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { openCatalog, type Catalog, type Tier } from '@packs/catalog'
import { isAlive, type DemoRun } from './demo-run.ts'

/** The keys to the packs of the demo. */
export interface Demo {
  readonly freeKey: string
  readonly proKey: string
  /** Claim code that opens the Pro account. */
  readonly claim: { readonly email: string; readonly code: string }
}

const PROGRAM = join(import.meta.dirname, '../../packages/cli/bin/pack.js')
const execute = promisify(execFile)
const DOMAIN = 'demo.invalid'
const actor = { kind: 'system', id: 'demo' } as const

/** Publishes sources into the embedded catalog of a folder, sets it online and creates new keys. Revokes keys of runs that have ended. */
export async function prepareDemo(sources: string, folder: string, run: DemoRun): Promise<Demo> {
  const now = new Date()
  await runPack(['publish', '.', '--data', resolve(folder)], sources)
  const catalog = await openCatalog({ url: `sqlite:${join(folder, 'catalog.sqlite')}` })
  try {
    await catalog.settings.setMode('online', { actor })
    await revokeEnded(catalog, now)
    const free = await addCustomer(catalog, 'free', run, now)
    const pro = await addCustomer(catalog, 'pro', run, now)
    const claim = { email: pro.email, code: pro.claimCode }
    return { freeKey: free.key, proKey: pro.key, claim }
  } finally {
    await catalog.close()
  }
}

/** Builds packs of sources, and returns how many there are, with the tokens of the sources and of the packs. */
export async function buildExamples(
  sources: string,
  output: string,
): Promise<{ readonly pages: number; readonly before: number; readonly after: number }> {
  const { packs } = await runPack(['build', '.', '-o', resolve(output)], sources)
  const add = (count: (pack: BuiltPack) => number): number =>
    packs.reduce((sum, pack) => sum + count(pack), 0)
  return {
    pages: packs.length,
    before: add((pack) => pack.uncompressed_estimate),
    after: add((pack) => pack.token_count + pack.rosetta_tokens),
  }
}

interface BuiltPack {
  readonly uncompressed_estimate: number
  readonly token_count: number
  readonly rosetta_tokens: number
}

/** Runs `pack` in a folder of sources, where it recognizes the sites that its pages are from. */
async function runPack(args: readonly string[], cwd: string): Promise<{ readonly packs: BuiltPack[] }> {
  const env = { ...process.env, DATABASE_URL: '', REDIS_URL: '' }
  const { stdout } = await execute(process.execPath, [PROGRAM, ...args, '--json'], {
    cwd,
    env,
    maxBuffer: 16 * 1024 * 1024,
  })
  return JSON.parse(stdout) as { packs: BuiltPack[] }
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
