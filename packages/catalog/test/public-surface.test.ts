import * as catalog from '@packs/catalog'
import { expect, it } from 'vitest'

it('exports what other packages may use', () => {
  expect(Object.keys(catalog).toSorted()).toEqual([
    'CatalogError',
    'checkClaim',
    'clientNetwork',
    'computeRetryAfter',
    'createCatalogQuota',
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
    'readClientAddress',
    'redeemClaim',
    'revokeKey',
    'rotateKey',
    'verifyKey',
    'versionConflictError',
    'watchMode',
  ])
})
