import * as catalog from '@packs/catalog'
import { expect, it } from 'vitest'

it('exports what other packages may use', () => {
  expect(Object.keys(catalog).toSorted()).toEqual([
    'CatalogError',
    'MAX_INLINE_BYTES',
    'MAX_PHRASES',
    'auditActions',
    'clientNetwork',
    'computeRetryAfter',
    'createByteBudget',
    'createCatalogThread',
    'createFallbackQuota',
    'createKeyText',
    'createPackSearch',
    'createQuota',
    'createRateLimiter',
    'createReader',
    'createRedisQuota',
    'createSharedDelay',
    'createSharedRateLimiter',
    'dailyLimit',
    'documentOnlyFields',
    'hashKey',
    'isKeyText',
    'listPhrases',
    'openCatalog',
    'openDocument',
    'readClientAddress',
    'repeatLeased',
    'startSweeper',
    'sweepKinds',
    'verifyKey',
    'versionConflictError',
    'watchCatalog',
    'withTimeLimit',
  ])
})
