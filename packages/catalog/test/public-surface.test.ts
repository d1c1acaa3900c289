import * as catalog from '@packs/catalog'
import { expect, it } from 'vitest'

it('exports what other packages may use', () => {
  expect(Object.keys(catalog).toSorted()).toEqual([
    'CatalogError',
    'WaitingSqliteDialect',
    'allowanceOf',
    'checkClaim',
    'countWait',
    'createCatalogQuota',
    'createClaimedAccount',
    'createFallbackQuota',
    'createKey',
    'createKeyText',
    'createRedisQuota',
    'hashKey',
    'isKeyText',
    'openCatalog',
    'redeemClaim',
    'revokeKey',
    'rotateKey',
    'verifyKey',
    'watchMode',
  ])
})
