import type { Provenance, VersionLine } from '@packs/catalog'
import { html, type Html } from '@packs/codec/theme'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { escapeBidi, formatCount, formatDay, formatNumber } from '../../html/display-text.ts'
import { ignoreDamage, type OpenedPack, type PackDependencies } from './open-pack.ts'
import { renderPackShell } from './pack-shell.ts'

/** Versions on the page. The API returns all of them. */
const MAX_VERSIONS = 50

/**
 * Lists the versions of a pack, and why they have their numbers. It shows no text, so it costs
 * nothing.
 */
export async function showVersions(
  { pages, ports }: PackDependencies,
  opened: OpenedPack,
  _request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { version, versions, viewer } = opened
  const { slug, title } = version
  const shown = await Promise.all(
    versions.slice(0, MAX_VERSIONS).map(async (line) => ({
      line,
      provenance: await ports.catalog.packs.provenance(slug, line.version).catch(ignoreDamage),
    })),
  )
  const main = html`<section class="text" aria-labelledby="~versions">
    <h2 id="~versions">${formatCount(versions.length, 'version')}</h2>
    <ol class="history">
      ${shown.map(({ line, provenance }) => renderVersion(line, provenance, opened))}
    </ol>
    ${versions.length > MAX_VERSIONS && html`<p class="quiet">These are the newest ${MAX_VERSIONS}. The API lists all of them.</p>`}
  </section>`
  return pages.send(reply, {
    title: `Versions of ${title}`,
    description: `All versions of ${title}, and what changed in them.`,
    viewer,
    main: renderPackShell(opened, 'versions', main),
    section: 'browse',
    canonical: `/browse/${slug}/versions`,
  })
}

function renderVersion(
  line: VersionLine,
  provenance: Provenance | undefined,
  { version: { slug }, versions }: OpenedPack,
): Html {
  const { version, published_at, prompt_tokens, token_count, signers, evaluations = [], yanked } = line
  const before = findBefore(versions, version)
  const path = `/browse/${slug}/${version}`
  const isLatest = versions.find((other) => !other.yanked) === line
  return html`<li>
    <p class="history-head">
      <a href="${path}"><b>${version}</b></a>
      ${isLatest && html`<span class="chip chip-tier">latest</span>`}
      ${yanked && html`<span class="chip chip-bad">yanked</span>`}
      <time class="quiet" datetime="${published_at}">${formatDay(published_at)}</time>
      <span class="quiet">
        ${
          prompt_tokens === undefined
            ? token_count === null && 'damaged'
            : `${formatCount(prompt_tokens, 'token')} as a prompt`
        }
      </span>
    </p>
    ${yanked && html`<p class="yanked">Yanked: <bdi>${escapeBidi(line.yanked_reason ?? 'no reason given')}</bdi></p>`}
    ${
      provenance !== undefined &&
      html`<ul class="reasons">
        ${provenance.reasons.map((reason) => html`<li>${escapeBidi(reason)}</li>`)}
      </ul>`
    }
    <p class="quiet">
      ${before === undefined ? 'Nothing came before it.' : html`<a href="${path}/changes">What changed since ${before.version}</a>`}
      ${signers.length > 0 && ` Signed by ${formatCount(signers.length, 'key')}.`}
      ${evaluations.length > 0 && ` Read by ${formatCount(evaluations.length, 'model')}, says its publisher.`}
    </p>
  </li>`
}

/**
 * Returns the version that another one is compared with: the highest lower one that is not yanked.
 *
 * @param versions all versions of the pack, the highest first
 */
export function findBefore(versions: readonly VersionLine[], version: string): VersionLine | undefined {
  const at = versions.findIndex((line) => line.version === version)
  return at < 0 ? undefined : versions.slice(at + 1).find((line) => !line.yanked)
}

/** Formats how a count changed: `1,200 → 1,350 (+150)`. */
export function formatChange(before: number, after: number): string {
  const difference = after - before
  const sign = difference > 0 ? '+' : difference < 0 ? '−' : '±'
  return `${formatNumber(before)} → ${formatNumber(after)} (${sign}${formatNumber(Math.abs(difference))})`
}
