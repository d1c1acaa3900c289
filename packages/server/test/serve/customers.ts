import { openCatalog, type NewVersion, type Tier } from '@packs/catalog'
import { actor } from '../../../test-kit/test/make-version.ts'

/** Adds versions and an account to a catalog and returns a key of the account. */
export async function addCustomer(
  url: string,
  tier: Tier,
  daily: number | null,
  versions: readonly NewVersion[] = [],
): Promise<string> {
  const catalog = await openCatalog({ url })
  try {
    if (versions.length > 0) await catalog.packs.commit(versions)
    const email = `${tier}-${Math.random().toString(36).slice(2)}@example.org`
    const { account } = await catalog.accounts.createClaimed({ email, tier, daily, actor }, new Date())
    return (await catalog.keys.create({ accountId: account.id, name: 'test', actor }, new Date())).key
  } finally {
    await catalog.close()
  }
}
