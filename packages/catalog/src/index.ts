export {
  auditActions,
  type Actor,
  type AuditAction,
  type AuditDetails,
  type AuditEntry,
  type AuditQuery,
  type NewAuditEntry,
} from './audit/create-audit-store.ts'
export type { MailCodeKind } from './accounts/account-codes.ts'
export type { AccountChange } from './accounts/change-tier.ts'
export type { AccountStore, ClaimedAccount } from './accounts/create-account-store.ts'
export type { Catalog, LentDatabase } from './open-catalog.ts'
export type { JobRecord } from './database/schema.ts'
export type { Change, ChangePage, ChangeQuery } from './packs/list-changes.ts'
export type { IndexRun, SkippedVersion } from './search/rebuild-index.ts'
export type { CatalogState, Mode, SettingStore } from './settings/create-setting-store.ts'
export { CatalogError, type CatalogErrorCode, type DamagedVersion } from './catalog-error.ts'
export { UNDO_MS } from './accounts/create-key-store.ts'
export { createKeyText, hashKey, isKeyText, type CreatedKey } from './accounts/issue-key.ts'
export { verifyKey, type VerifiedKey } from './accounts/create-key-store.ts'
export { repeatLeased, type RepeatedTask, type Round } from './maintenance/create-maintenance-store.ts'
export { startSweeper, type SweepEvents } from './maintenance/create-maintenance-store.ts'
export { sweepKinds } from './maintenance/create-maintenance-store.ts'
export { openCatalog, type CatalogOptions } from './open-catalog.ts'
export {
  createFallbackQuota,
  type FallbackEvent,
  type FallbackOptions,
} from './quota/create-fallback-quota.ts'
export { createQuota } from './quota/create-quota.ts'
export { createVersionQuota, type VersionQuota } from './quota/create-quota.ts'
export { createRedisQuota, type RedisClient } from './quota/create-quota-store.ts'
export { versionConflictError } from './packs/commit-versions.ts'
export { openDocument } from './packs/version-row.ts'
export { computeRetryAfter, dailyLimit, type Quota, type QuotaState } from './quota/create-quota.ts'
export { clientNetwork, readClientAddress } from './rate-limits/create-rate-limiter.ts'
export { createRateLimiter, type RateLimit, type RateLimiter } from './rate-limits/create-rate-limiter.ts'
export { createSharedDelay, type SharedDelay } from './rate-limits/create-rate-limiter.ts'
export {
  createSharedRateLimiter,
  type SharedRateLimit,
  type SharedRateLimiter,
} from './rate-limits/create-rate-limiter.ts'
export {
  createPackSearch,
  type PackSearch,
  type PackSearchPage,
  type PackSearchQuery,
} from './reading/create-pack-search.ts'
export { createReader, type Reader, type Reads, type SectionReader } from './reading/create-reader.ts'
export type { ContextQuery, IndexContext } from './reading/search-texts.ts'
export { type SectionReads, type WholePacks } from './reading/section-tasks.ts'
export { listSimilarPacks } from './packs/list-packs.ts'
export type { OutlinePage, SectionLookup } from './reading/section-tasks.ts'
export { findQueryWords, listPhrases, MAX_PHRASES, type ReadingScope } from '@packs/search'
export { watchCatalog, type CatalogWatch, type WatchOptions } from './settings/watch-catalog.ts'
export {
  createByteBudget,
  MAX_INLINE_BYTES,
  type ByteBudget,
  type CatalogQueue,
  type CatalogWork,
  type TaskOptions,
  type ThreadWork,
} from './reading/create-catalog-thread.ts'
export { withTimeLimit } from './time-limit.ts'
export { documentOnlyFields } from './types.ts'
export type * from './types.ts'
