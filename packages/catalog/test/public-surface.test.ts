import * as catalog from '@packs/catalog'
import { expect, it } from 'vitest'

it('exports what other packages may use', () => {
  expect(Object.keys(catalog).toSorted()).toEqual([
    'CatalogError',
    'auditActions',
    'checkClaim',
    'clientNetwork',
    'computeRetryAfter',
    'createByteBudget',
    'createCatalogQuota',
    'createCatalogThread',
    'createClaimedAccount',
    'createFallbackQuota',
    'createKey',
    'createKeyText',
    'createRateLimitTable',
    'createRateLimiter',
    'createRedisQuota',
    'createSharedRateLimiter',
    'dailyLimit',
    'hashKey',
    'isKeyText',
    'openCatalog',
    'openDocument',
    'readClientAddress',
    'redeemClaim',
    'revokeKey',
    'rotateKey',
    'serveCatalogTasks',
    'startSweeper',
    'sweepKinds',
    'verifyKey',
    'versionConflictError',
    'watchMode',
  ])
})
