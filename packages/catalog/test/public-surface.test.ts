import * as catalog from '@packs/catalog'
import { expect, it } from 'vitest'

it('exports what other packages may use', () => {
  expect(Object.keys(catalog).toSorted()).toEqual([
    'CatalogError',
    'allowanceOf',
    'checkClaim',
    'clientNetwork',
    'countWait',
    'createCatalogQuota',
    'createClaimedAccount',
    'createFallbackQuota',
    'createKey',
    'createKeyText',
    'createRateLimitTable',
    'createRateLimiter',
    'createRedisQuota',
    'createSharedRateLimiter',
    'hashKey',
    'isKeyText',
    'openCatalog',
    'readClientAddress',
    'redeemClaim',
    'revokeKey',
    'rotateKey',
    'verifyKey',
    'watchMode',
  ])
})
