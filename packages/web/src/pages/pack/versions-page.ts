import type { Provenance, VersionLine } from '@packs/catalog'
import { html, type Html } from '@packs/theme'
import type { FastifyReply } from 'fastify'
import { escapeBidi, formatCount, formatDay, formatNumber } from '../../html/display-text.ts'
import { ignoreDamage, seesDigests, type OpenedPack, type PackDependencies } from './open-pack.ts'
import { sendPackPage } from './pack-shell.ts'

/** Versions on the page. The API returns all of them. */
const MAX_VERSIONS = 50

/** Tells also why versions have their numbers. It shows no text, so it costs nothing. */
export async function showVersions(
  dependencies: PackDependencies,
  opened: OpenedPack,
): Promise<FastifyReply> {
  const { version, versions } = opened
  const { slug, title } = version
  const { packs } = dependencies.ports.catalog
  const shown = await Promise.all(
    versions.slice(0, MAX_VERSIONS).map(async (line) => ({
      line,
      provenance: await packs.provenance(slug, line.version).catch(ignoreDamage),
    })),
  )
  const main = html`<section class="text" aria-labelledby="~versions">
    <h2 id="~versions">${formatCount(versions.length, 'version')}</h2>
    <ol class="history">
      ${shown.map(({ line, provenance }) => renderVersion(line, provenance, opened))}
    </ol>
    ${versions.length > MAX_VERSIONS && html`<p class="quiet">These are the newest ${MAX_VERSIONS}. The API lists all of them.</p>`}
  </section>`
  return sendPackPage(dependencies, opened, 'versions', main, {
    title: `Versions of ${title}`,
    description: `All versions of ${title}, and what changed in them.`,
    canonical: `/browse/${slug}/versions`,
  })
}

function renderVersion(
  line: VersionLine,
  provenance: Provenance | undefined,
  { version: { slug }, versions, viewer }: OpenedPack,
): Html {
  const { version, published_at, prompt_tokens, token_count, signers, yanked } = line
  const before = findBefore(versions, version)
  const path = `/browse/${slug}/${version}`
  const isLatest = versions.find((other) => !other.yanked) === line
  const isFirst = versions.at(-1) === line
  return html`<li ${isLatest && html`class="latest"`}>
    <h3>
      <a href="${path}">${version}</a>
      ${isLatest && html`<span class="chip chip-tier">latest</span>`}
      ${yanked && html`<span class="chip chip-bad">yanked</span>`}
    </h3>
    <p class="quiet history-facts">
      <time datetime="${published_at}">${formatDay(published_at)}</time>
      ${token_count === null && html`<span>its figures are damaged</span>`}
      ${
        prompt_tokens !== undefined &&
        html`<span class="whole">
          <b>${formatCount(prompt_tokens, 'token')}</b> in a prompt
          ${before?.prompt_tokens !== undefined && `(${formatDifference(before.prompt_tokens, prompt_tokens)})`}
        </span>`
      }
    </p>
    ${yanked && html`<p class="yanked">Yanked: <bdi>${escapeBidi(line.yanked_reason ?? 'no reason given')}</bdi></p>`}
    ${provenance === undefined ? html`<p class="quiet">Why it has this number cannot be read.</p>` : renderReasons(provenance)}
    ${seesDigests(viewer) && signers.map((id) => html`<p class="quiet">Signed by <code class="digest">${id}</code></p>`)}
    ${before !== undefined && html`<p class="actions"><a href="${path}/changes">What changed since ${before.version}</a></p>`}
    ${before === undefined && !isFirst && html`<p class="quiet">All versions before it were yanked.</p>`}
  </li>`
}

/** Counts headings, which another reason names. */
const COUNT = /^minor: \d+ headings? of level \d (?:was|were)( added| removed)$/
/** A level of change and what follows. */
const REASON = /^(?<level>major|minor|patch): (?<sentence>[^]*)$/
/** The header defines glossary terms, and only readers of the whole pack see it. */
const GLOSSARY_TERM = 'the glossary term '
const CHANGES = [' was removed or changed', ' has another meaning', ' was added']

/** Renders why a version has its number, without terms of its header. */
function renderReasons({ reasons }: Provenance): Html {
  const named = reasons.filter((reason) => reason.includes(': the heading ')).join('\n')
  const shown = reasons.filter((reason) => !named.includes(COUNT.exec(reason)?.[1] ?? '\n\n'))
  const list = shown.map((reason) => {
    const text = hideTerm(reason).replace(/^it is the (?=first version$)/, '')
    const { level, sentence = text } = REASON.exec(text)?.groups ?? {}
    return html`<li dir="auto">${level !== undefined && html`<b>${level}</b>: `}${escapeBidi(sentence)}</li>`
  })
  return html`<ul class="reasons">
    ${list}
  </ul>`
}

function hideTerm(reason: string): string {
  const at = reason.indexOf(GLOSSARY_TERM)
  if (at < 0) return reason
  return `${reason.slice(0, at)}a glossary term${CHANGES.find((change) => reason.endsWith(change)) ?? ' changed'}`
}

/**
 * Returns the highest lower version that is not yanked.
 * @param versions the highest first
 */
export function findBefore(versions: readonly VersionLine[], version: string): VersionLine | undefined {
  const at = versions.findIndex((line) => line.version === version)
  return at < 0 ? undefined : versions.slice(at + 1).find((line) => !line.yanked)
}

/** Formats how a count changed: `+150`, `−62` or `the same`. */
export function formatDifference(before: number, after: number): string {
  if (before === after) return 'the same'
  return `${after > before ? '+' : '−'}${formatNumber(Math.abs(after - before))}`
}
