export {
  auditActions,
  type Actor,
  type AuditAction,
  type AuditEntry,
  type NewAuditEntry,
} from './audit/create-audit-store.ts'
export type { MailCodeKind } from './accounts/account-row.ts'
export type { AccountChange } from './accounts/account-row.ts'
export type { AccountStore } from './accounts/create-account-store.ts'
export { type Catalog, type LentDatabase, openCatalog, type CatalogOptions } from './open-catalog.ts'
export { createLoadingCache, type LoadingCache } from './database/loading-cache.ts'
export type { JobRecord } from './database/database.ts'
export { isOutage } from './database/translate-failures.ts'
export type { NewJob, UnfinishedJob } from './jobs/create-job-store.ts'
export type { Change, ChangeQuery } from './packs/list-packs.ts'
export type { SkippedVersion } from './search/rebuild-index.ts'
export type { CatalogState, Mode, SettingStore } from './mode/create-setting-store.ts'
export {
  CatalogError,
  type CatalogErrorCode,
  type DamagedVersion,
  describeThrown,
  nameDamaged,
} from './catalog-error.ts'
export { UNDO_MS, verifyKey, type VerifiedKey } from './accounts/create-key-store.ts'
export { coversSlug } from './accounts/create-token-store.ts'
export type { CreatedKey } from './accounts/issue-key.ts'
export { startSweeper, sweepKinds, type Sweeper } from './maintenance/create-maintenance-store.ts'
export { createFallbackQuota, type FallbackEvent } from './quota/create-fallback-quota.ts'
export {
  createQuota,
  createVersionQuota,
  peekCharge,
  type VersionQuota,
  computeRetryAfter,
  dailyLimit,
  type Quota,
  type QuotaState,
} from './quota/create-quota.ts'
export { createRedisQuota, removeRedisCounts } from './quota/create-quota-store.ts'
export { versionConflictError } from './packs/commit-versions.ts'
export type { OutdatedVersion, PurgeRequest, PurgeResult } from './packs/purge-versions.ts'
export { findPurged, purgedVersionError } from './packs/read-versions.ts'
export { openDocument } from './packs/version-row.ts'
export {
  clientNetwork,
  readClientAddress,
  createRateLimiter,
  type RateLimit,
  type RateLimiter,
  createSharedDelay,
  type SharedDelay,
  createSharedRateLimiter,
  type SharedRateLimit,
  type SharedRateLimiter,
} from './rate-limits/create-rate-limiter.ts'
export { createPackSearch, type PackSearch, type PackSearchPage } from './reading/create-reader.ts'
export { createReader, type Reader, type Reads, type SectionReader } from './reading/create-reader.ts'
export type { IndexContext } from './reading/search-texts.ts'
export type { SectionReads, WholePacks } from './reading/section-tasks.ts'
export { listSimilarPacks } from './packs/list-packs.ts'
export type { ReadingScope } from '@packs/search'
export { watchCatalog, type CatalogWatch } from './mode/create-setting-store.ts'
export {
  createByteBudget,
  busyError,
  MAX_INLINE_BYTES,
  type ByteBudget,
  type CatalogQueue,
  type CatalogWork,
  type TaskOptions,
  type ThreadWork,
} from './reading/create-catalog-thread.ts'
export { withTimeLimit } from './quota/create-quota.ts'
export { documentOnlyFields } from './types.ts'
export type * from './types.ts'
