export {
  auditActions,
  type Actor,
  type AuditAction,
  type AuditDetails,
  type AuditEntry,
  type AuditQuery,
  type AuditStore,
  type NewAuditEntry,
} from './audit/audit-entry.ts'
export {
  changeTier,
  checkCode,
  createClaimedAccount,
  createMailCode,
  openWithCode,
  proveAddress,
  resetAccount,
  type AccountChange,
  type ClaimedAccount,
} from './accounts/use-codes.ts'
export type * from './account-stores.ts'
export type * from './catalog.ts'
export { CatalogError, type CatalogErrorCode, type DamagedVersion } from './catalog-error.ts'
export { createKey, type CreatedKey, type KeyRequest, revokeKey, rotateKey } from './accounts/manage-keys.ts'
export { createKeyText, hashKey, isKeyText } from './accounts/key-text.ts'
export { verifyKey, type VerifiedKey } from './accounts/verify-key.ts'
export type { MigrationProgress } from './migrations/run-step.ts'
export { repeatLeased, type RepeatedTask, type Round } from './maintenance/repeat-leased.ts'
export { startSweeper, type SweepEvents } from './maintenance/start-sweeper.ts'
export { sweepKinds, type SweepKind } from './maintenance-store.ts'
export { openCatalog, type CatalogOptions } from './open-catalog.ts'
export {
  createFallbackQuota,
  type FallbackEvent,
  type FallbackOptions,
} from './quota/create-fallback-quota.ts'
export { createCatalogQuota } from './quota/create-quota.ts'
export { createRedisQuota, type RedisClient } from './quota/create-redis-quota.ts'
export { versionConflictError } from './packs/commit-versions.ts'
export { openDocument } from './packs/version-row.ts'
export { computeRetryAfter, dailyLimit, type Quota, type QuotaState } from './quota/quota.ts'
export { clientNetwork, readClientAddress } from './rate-limits/client-network.ts'
export { createRateLimiter, type RateLimit, type RateLimiter } from './rate-limits/create-rate-limiter.ts'
export {
  createSharedDelay,
  type SharedDelay,
  type SharedDelayOptions,
} from './rate-limits/create-shared-delay.ts'
export {
  createSharedRateLimiter,
  type SharedRateLimit,
  type SharedRateLimiter,
} from './rate-limits/create-shared-rate-limiter.ts'
export {
  createPackSearch,
  type PackSearch,
  type PackSearchPage,
  type SearchedIndex,
} from './reading/create-pack-search.ts'
export {
  createSectionReader,
  type SectionReader,
  type SectionReads,
} from './reading/create-section-reader.ts'
export type { PackSearchQuery } from './reading/list-title-hits.ts'
export type { OutlinePage, SectionLookup } from './reading/look-up-section.ts'
export { listPhrases, MAX_PHRASES, type ReadingScope } from '@packs/search'
export type * from './search-index.ts'
export { watchCatalog, type CatalogWatch, type WatchOptions } from './settings/watch-catalog.ts'
export {
  createByteBudget,
  createCatalogThread,
  type ByteBudget,
  type CatalogThread,
  type CatalogThreadOptions,
  type CatalogWork,
  type TaskOptions,
} from './threads/create-catalog-thread.ts'
export { withTimeLimit } from './time-limit.ts'
export { serveCatalogTasks } from './threads/serve-catalog-tasks.ts'
export { documentOnlyFields } from './types.ts'
export type * from './types.ts'
