import { beforeEach, describe } from 'vitest'
import type { CatalogContext } from './catalog-context.ts'
import { describeAccounts } from './contract/describe-accounts.ts'
import { describeAuditLog } from './contract/describe-audit-log.ts'
import { describeAudits } from './contract/describe-audits.ts'
import { describeChanges } from './contract/describe-changes.ts'
import { describeClaims } from './contract/describe-claims.ts'
import { describeCodes } from './contract/describe-codes.ts'
import { describeCommits } from './contract/describe-commits.ts'
import { describeFaults } from './contract/describe-faults.ts'
import { describeFigures } from './contract/describe-figures.ts'
import { describeIndex } from './contract/describe-index.ts'
import { describeKeys } from './contract/describe-keys.ts'
import { describeLockedOrder } from './contract/describe-locked-order.ts'
import { describeLists } from './contract/describe-lists.ts'
import { describeTokens } from './contract/describe-tokens.ts'
import { describeWatch } from './contract/describe-watch.ts'
import { describeProcesses } from './contract/describe-processes.ts'
import { describeRecordedChanges } from './contract/describe-recorded-changes.ts'
import { describeSearch } from './contract/describe-search.ts'
import { describeSettings } from './contract/describe-settings.ts'
import { describeSignatures } from './contract/describe-signatures.ts'
import { describeSweeps } from './contract/describe-sweeps.ts'
import { describeYanks } from './contract/describe-yanks.ts'
import type { TestDatabase } from '../../test-kit/test/test-database.ts'

/** Contract tests of the catalog, run on one kind of database. */
export function describeCatalog(name: string, start: () => Promise<TestDatabase>): void {
  describe(`the catalog in ${name}`, async () => {
    const database = await start()
    const context = {} as { -readonly [key in keyof CatalogContext]: CatalogContext[key] }

    beforeEach(async () => {
      context.database = database
      context.url = await database.createCatalog()
      context.catalog = await database.open(context.url)
    })

    describeCommits(context)
    describeYanks(context)
    describeSignatures(context)
    describeAudits(context)
    describeAuditLog(context)
    describeRecordedChanges(context)
    describeLists(context)
    describeChanges(context)
    describeSearch(context)
    describeIndex(context)
    describeFigures(context)
    describeLockedOrder(context)
    describeAccounts(context)
    describeClaims(context)
    describeCodes(context)
    describeKeys(context)
    describeTokens(context)
    describeWatch(context)
    describeSettings(context)
    describeSweeps(context)
    describeFaults(context)
    describeProcesses(context)
  })
}
