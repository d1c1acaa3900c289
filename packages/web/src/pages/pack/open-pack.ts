import { CatalogError, clientNetwork, computeRetryAfter, findPurged } from '@packs/catalog'
import type {
  RateLimiter,
  VersionLine,
  VersionQuota,
  VersionRecord,
  ByteBudget,
  CatalogQueue,
  SectionReader,
  QuotaState,
} from '@packs/catalog'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { DocumentReader } from '../../documents/create-document-reader.ts'
import type { Renderer } from '../../rendering/create-renderer.ts'
import type { WebPorts } from '../../ports.ts'
import { tooManyPagesError, WebError } from '../../web-error.ts'
import { html, type Html } from '@packs/theme'
import { formatSignInPath } from '../../security/cross-site-protection.ts'
import { isOpenToAll, renderProHint, type SiteFacts, type Viewer } from '../page.ts'
import type { PageSender } from '../serve-page.ts'
import { escapeBidi, formatCount, formatDay, formatDuration } from '../../html/display-text.ts'

/** How much of packs a visitor sees, and why; with the quota if it was charged or exceeded. */
export type Access =
  | { readonly scope: 'full'; readonly reason: 'recovery' }
  | { readonly scope: 'full'; readonly reason: 'pro'; readonly state: QuotaState }
  | { readonly scope: 'preview'; readonly reason: 'visitor' | 'free' }
  | { readonly scope: 'preview'; readonly reason: 'quota-exceeded'; readonly state: QuotaState }

/** What charges the page of a request to its viewer. */
const charges = new WeakMap<FastifyRequest, () => Promise<QuotaState>>()

/**
 * A full text will be charged to the account when the request is answered, except in recovery mode
 * without previews.
 * @param charge with `peek`, only returns the quota as it will be then
 */
export async function decideAccess(
  { mode, account }: Viewer,
  request: FastifyRequest,
  charge: (account: NonNullable<Viewer['account']>, way: 'peek' | 'take') => Promise<QuotaState>,
): Promise<Access> {
  if (isOpenToAll(mode)) return { scope: 'full', reason: 'recovery' }
  if (account === undefined) return { scope: 'preview', reason: 'visitor' }
  if (account.tier === 'free') return { scope: 'preview', reason: 'free' }
  const state = await charge(account, 'peek')
  if (!state.allowed) return { scope: 'preview', reason: 'quota-exceeded', state }
  charges.set(request, () => charge(account, 'take'))
  return { scope: 'full', reason: 'pro', state }
}

/** @throws WebError `allowance_spent` */
export async function chargePage(reply: FastifyReply, now: Date): Promise<void> {
  const charge = charges.get(reply.request)
  charges.delete(reply.request)
  if (charge === undefined || reply.statusCode !== 200 || reply.raw.destroyed) return
  const state = await charge()
  if (!state.allowed) throw exceededQuotaError(state, now)
}

export function exceededQuotaError(state: QuotaState, now: Date, links: WebError['links'] = []): WebError {
  const { reason, hint } = describeExceededQuota(state, now)
  return new WebError('allowance_spent', reason, hint, { retryAfter: computeRetryAfter(state, now), links })
}

/** Describes why the quota refused a request, and when to try again. */
export function describeExceededQuota(
  { limit, resetAt, isFallback }: QuotaState,
  now: Date,
): { readonly reason: string; readonly hint: string } {
  const requests = formatCount(limit, 'request')
  const reason = isFallback
    ? `Requests cannot be counted at the moment, and the part of today’s ${requests} available meanwhile is used up`
    : `Your account has used up today’s ${requests}`
  const reset = `The quota resets in ${formatDuration(now, resetAt)}.`
  return { reason, hint: isFallback ? 'Try again in a minute.' : reset }
}

/** Says what is only a preview, why, and how to get the rest. */
export function renderPreviewNote(
  access: Access & { readonly scope: 'preview' },
  about: string,
  path: string,
  now: Date,
  contact: string | undefined,
): Html {
  if (access.reason === 'quota-exceeded') {
    const { reason, hint } = describeExceededQuota(access.state, now)
    return html`<p class="note">${about}. ${reason}. ${hint}</p>`
  }
  return html`<p class="note">
    ${about}. Pro accounts get the whole pack. ${renderProHint(contact)}
    ${access.reason === 'visitor' && html`<a href="${formatSignInPath(path)}">Sign in</a> if you have one.`}
  </p>`
}

export interface PackDependencies {
  readonly ports: WebPorts
  readonly site: SiteFacts
  readonly renderer: Renderer
  readonly documents: DocumentReader
  readonly sections: SectionReader
  readonly documentQueue: CatalogQueue
  readonly freePrompts: RateLimiter
  /** Bytes of downloads in progress. */
  readonly downloads: ByteBudget
  /** Charges each version once a day, for all pages together. */
  readonly versionQuota: VersionQuota
  readonly pages: PageSender
}

export interface OpenedPack {
  readonly version: VersionRecord
  /** All versions of the pack, the highest first. */
  readonly versions: readonly VersionLine[]
  /** Whether the URL names the version. Otherwise the page shows the latest one. */
  readonly isExact: boolean
  /** Path of the page that shows the text: `/browse/tls` or `/browse/tls/1.2.0`. */
  readonly path: string
  readonly viewer: Viewer
  readonly reply: FastifyReply
  /** Network of the visitor; networks take turns. */
  readonly owner: string
  readonly now: Date
}

/**
 * Finds the version that a URL names, or else the latest.
 * @param allowsYanked opens the newest version if all of them were yanked
 * @throws WebError `unknown_pack`, `unknown_version` or `purged_version`
 */
export async function openPack(
  { ports, pages }: PackDependencies,
  slug: string,
  number: string | undefined,
  reply: FastifyReply,
  allowsYanked = false,
): Promise<OpenedPack> {
  const { packs } = ports.catalog
  const versions = await packs.versions(slug)
  // Without a number, the pages of a pack whose versions were all yanked lead to its newest one.
  const areYanked = versions.length > 0 && versions.every(({ yanked }) => yanked)
  const newest = versions.find(({ purged_at }) => purged_at === null)
  const exact = number ?? (allowsYanked && areYanked ? newest?.version : undefined)
  const version = await packs.find(slug, exact)
  const isFound = version !== undefined && version.slug === slug
  const purged = isFound ? undefined : findPurged(versions, number)
  if (purged !== undefined) throw purgedPageError(purged, number, newest !== undefined)
  if (!isFound && versions.length > 0) {
    const name = number === undefined ? 'See why' : 'See its versions'
    const links = [{ path: `/browse/${slug}/versions`, name }]
    const hint = 'Its publisher withdrew them. A page for each of them still exists.'
    throw number === undefined
      ? new WebError('unknown_pack', 'All versions of this pack were yanked', hint, { links })
      : new WebError('unknown_version', 'This pack has no such version', 'Choose one that it has.', { links })
  }
  if (!isFound) throw unknownPackError(slug)
  return {
    version,
    versions,
    isExact: exact !== undefined,
    path: exact === undefined ? `/browse/${slug}` : `/browse/${slug}/${exact}`,
    viewer: await pages.findViewer(reply),
    reply,
    owner: clientNetwork(reply.request.ip),
    now: ports.now(),
  }
}

function purgedPageError(
  { slug, version, purged_at, yanked_reason }: VersionLine,
  asked: string | undefined,
  hasOthers: boolean,
): WebError {
  const others = { path: `/browse/${slug}/versions`, name: 'See its versions' }
  const links = [...(hasOthers ? [others] : []), { path: '/browse', name: 'Browse all packs' }]
  const name = asked === version ? `Version ${version} of ${slug}` : `The pack ${slug}`
  const message = `${name} was purged on ${formatDay(purged_at!)}`
  return new WebError('purged_version', message, `The reason: ${escapeBidi(yanked_reason ?? '')}`, { links })
}

/** A page is shown even if what the version was published from cannot be read. */
export function ignoreDamage(error: unknown): undefined {
  if (!(error instanceof CatalogError) || error.code !== 'catalog_damaged') throw error
  return undefined
}

/** Decides how much of some versions the viewer sees, for which each costs a request a day. */
export async function openAccess(
  { versionQuota }: Pick<PackDependencies, 'versionQuota'>,
  { viewer, reply, now }: Pick<OpenedPack, 'viewer' | 'reply' | 'now'>,
  versions: readonly Pick<VersionRecord, 'sequence'>[],
): Promise<Access> {
  const sequences = versions.map(({ sequence }) => sequence)
  return decideAccess(viewer, reply.request, (account, way) => versionQuota[way](account, now, sequences))
}

/** @throws WebError `too_many_pages` */
export function limitPrompts(
  { freePrompts }: Pick<PackDependencies, 'freePrompts'>,
  access: Access,
  owner: string,
  now: Date,
): void {
  const retryAfter = access.reason === 'pro' ? 0 : freePrompts.take(owner, now)
  if (retryAfter > 0) throw tooManyPagesError('You opened too many prompts within a minute', retryAfter)
}

export function unknownPackError(slug: string): WebError {
  const words = slug.match(/[\p{L}\p{N}]+/gu) ?? []
  const search = words.join(' ').slice(0, 100)
  const links = [
    { path: `/browse?${new URLSearchParams({ search }).toString()}`, name: 'Search for it' },
    { path: '/browse', name: 'Browse all packs' },
  ]
  const hint = 'Its name may have changed.'
  return new WebError('unknown_pack', 'There is no such pack', hint, { links, search })
}

export function pageNotFoundError(): WebError {
  const hint = 'Check the URL, or start from the list of packs or the documentation.'
  return new WebError('page_not_found', 'There is no such page', hint)
}
