import type { Provenance, VersionLine } from '@packs/catalog'
import { html, type Html, type HtmlValue } from '@packs/theme'
import type { FastifyReply } from 'fastify'
import {
  escapeBidi,
  formatCount,
  formatDay,
  formatNumber,
  formatSectionPath,
  renderLangAttribute,
} from '../../html/display-text.ts'
import { ignoreDamage, openAccess, renderPreviewNote } from './open-pack.ts'
import type { OpenedPack, PackDependencies, Access } from './open-pack.ts'
import { seesWholePacks } from '../page.ts'
import { sendPackPage } from './pack-shell.ts'
import { compareWork } from '../../documents/compare-versions.ts'
import type { Hunk, VersionComparison, WordRun } from '../../documents/compare-versions.ts'
import { measureCost } from '../../html/pack-figures.ts'

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
  const shown = versions.slice(0, MAX_VERSIONS).map(async (line) => {
    const provenance = await packs.provenance(slug, line.version).catch(ignoreDamage)
    return renderVersion(line, provenance, opened)
  })
  const main = html`<section class="text" aria-labelledby="~versions">
    <h2 id="~versions">${formatCount(versions.length, 'version')}</h2>
    <ol class="history">
      ${await Promise.all(shown)}
    </ol>
    ${versions.length > MAX_VERSIONS && html`<p class="quiet">These are the newest ${MAX_VERSIONS}. The API lists all of them.</p>`}
    ${renderUses(opened)}
  </section>`
  return sendPackPage(dependencies, opened, 'versions', main, {
    title: `Versions of ${title}`,
    description: `All versions of ${title}, and what changed in them.`,
    canonical: `/browse/${slug}/versions`,
  })
}

/** Says what numbers of versions are for. */
function renderUses({ version: { slug, version }, versions }: OpenedPack): Html {
  const name = `${slug}@${version}`
  const before = findBefore(versions, version)
  return html`<h3>What to do with a version</h3>
    <p>
      Add <a href="/prompt?pack=${name}" rel="nofollow"><code>${name}</code></a> to always get this version;
      without the number you get the latest.
    </p>
    <pre class="code" tabindex="0" data-copy>
pack add ${name}${before && `\npack diff ${slug}@${before.version} ${name}`}</pre>`
}

function renderVersion(
  line: VersionLine,
  provenance: Provenance | undefined,
  { version: { slug }, versions, viewer }: OpenedPack,
): Html {
  const { version, published_at, token_count, signers, yanked, purged_at } = line
  if (purged_at !== null)
    return html`<li>
      <h3>${version} <span class="chip chip-bad">purged</span></h3>
      <p class="quiet history-facts"><time datetime="${published_at}">${formatDay(published_at)}</time></p>
      <p class="yanked">
        Purged on ${formatDay(purged_at)}: <bdi>${escapeBidi(line.yanked_reason ?? '')}</bdi>
      </p>
    </li>`
  const before = findBefore(versions, version)
  const [paid, paidBefore] = [sumPaid(line), before && sumPaid(before)]
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
        paid !== undefined &&
        html`<span class="whole">
          <b>${formatCount(paid, 'token')}</b>
          ${paidBefore !== undefined && `(${formatDifference(paidBefore, paid)})`}
        </span>`
      }
    </p>
    ${yanked && html`<p class="yanked">Yanked: <bdi>${escapeBidi(line.yanked_reason ?? 'no reason given')}</bdi></p>`}
    ${provenance === undefined ? html`<p class="quiet">Why it has this number cannot be read.</p>` : renderReasons(provenance)}
    ${seesWholePacks(viewer) && signers.map((id) => html`<p class="quiet">Signed by <code class="digest">${id}</code></p>`)}
    ${before !== undefined && html`<p class="actions"><a href="${path}/changes">What changed since ${before.version}</a></p>`}
    ${before === undefined && !isFirst && html`<p class="quiet">All versions before it were yanked.</p>`}
  </li>`
}

function sumPaid({ token_count, rosetta_tokens }: VersionLine): number | undefined {
  return token_count === null ? undefined : token_count + (rosetta_tokens ?? 0)
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

/** @param versions the highest first */
export function findBefore(versions: readonly VersionLine[], version: string): VersionLine | undefined {
  const at = versions.findIndex((line) => line.version === version)
  return at < 0 ? undefined : versions.slice(at + 1).find((line) => !line.yanked)
}

/** Formats how a count changed: `+150`, `−62` or `the same`. */
export function formatDifference(before: number, after: number): string {
  if (before === after) return 'the same'
  return `${after > before ? '+' : '−'}${formatNumber(Math.abs(after - before))}`
}

/** Shows what changed since the version before. Both are charged, each once a day. */
export async function showChanges(dependencies: PackDependencies, opened: OpenedPack): Promise<FastifyReply> {
  const { ports, site, documentQueue } = dependencies
  const { version, versions, owner, now, reply } = opened
  const { slug, title, sequence, bytes } = version
  const path = `/browse/${slug}/${version.version}/changes`
  const line = findBefore(versions, version.version)
  const before = line && (await ports.catalog.packs.find(slug, line.version))
  if (before === undefined) return reply.redirect(`/browse/${slug}/versions`, 303)
  const sequences = [before.sequence, sequence] as const
  const access = await openAccess(dependencies, opened, [before, version])
  const task = { sequences, scope: access.scope }
  const found = await documentQueue.run(compareWork, task, { owner, bytes: bytes + before.bytes })
  const [old, fresh] = [measureCost(before), measureCost(version)]
  const back = html`<p class="quiet"><a href="/browse/${slug}/versions">All versions</a></p>`
  const number = (name: string): Html => html`<a href="/browse/${slug}/${name}">${name}</a>`
  const main = html`<section class="text changes" aria-labelledby="~changes">
    ${back}
    <h2 id="~changes">What changed from ${number(before.version)} to ${number(version.version)}</h2>
    <p>${summarize(found)}</p>
    ${renderAccess(access, path, now, site.contact)}
    <dl class="facts-list">
      ${renderTokens('Tokens of the source', old.source, fresh.source)}
      ${renderTokens('Tokens of the pack', old.paid, fresh.paid)}
    </dl>
    ${renderText(found, access, opened, before.version)} ${back}
  </section>`
  return sendPackPage(dependencies, opened, 'versions', main, {
    title: `Changes in ${title} ${version.version}`,
    description: undefined,
    canonical: path,
    isUnlisted: true,
  })
}

/** Says which texts are compared, and what that cost. */
function renderAccess(access: Access, path: string, now: Date, contact: string | undefined): Html | false {
  if (access.reason === 'recovery') return false
  const { remaining = 0, isFallback = false } = 'state' in access ? access.state : {}
  const cost = 'Comparing costs one request a day for each version'
  if (access.scope === 'full')
    return html`<p class="quiet">${cost}. You have ${formatNumber(remaining)} left.</p>`
  const isShort = remaining > 0 && !isFallback
  const about = 'This compares only the previews'
  return isShort
    ? html`<p class="note">${about}. ${cost}, and your account has ${formatNumber(remaining)} left today.</p>`
    : renderPreviewNote(access, about, path, now, contact)
}

function renderTokens(name: string, before: number, after: number): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${formatNumber(before)} → <b>${formatNumber(after)}</b> (${formatDifference(before, after)})</dd>
  </div>`
}

/** Sums what changed in one line. */
function summarize({ hunks, isTruncated }: VersionComparison): string {
  const pieces = hunks.flatMap((hunk) => hunk.pieces)
  const kinds = pieces.map((runs) => (runs.length > 1 ? 'changed' : runs[0]!.kind))
  const sums = ['changed', 'added', 'removed'].flatMap((change) => {
    const count = kinds.filter((kind) => kind === change).length
    return count > 0 ? `${formatCount(count, 'passage')} ${change}` : []
  })
  return sums.length === 0 ? 'The text is the same.' : `${isTruncated ? 'At least ' : ''}${sums.join(', ')}.`
}

function renderText(
  { hunks, rest, isTruncated }: VersionComparison,
  { scope }: Access,
  { version: { slug, version } }: OpenedPack,
  before: string,
): Html {
  const name = scope === 'full' ? 'Text' : 'Preview'
  if (hunks.length === 0)
    return html`<h3>${name}</h3>
      <p>${scope === 'full' ? 'The text is the same.' : 'Both previews are the same, as far as both go.'}</p>`
  return html`<h3>${name}</h3>
    <div class="diff">
      ${hunks.map((hunk) => renderHunk(hunk, `/browse/${slug}/${version}`))}
      ${rest > 0 && html`<p class="diff-fold">… ${formatCount(rest, 'unchanged line')}</p>`}
      ${
        isTruncated &&
        html`<p class="diff-fold">
          … and more:
          <code>pack diff ${slug}@${before} ${slug}@${version}</code> shows all of it.
        </p>`
      }
    </div>`
}

function renderHunk({ skipped, section, pieces }: Hunk, path: string): Html {
  const place =
    section &&
    section.title !== '' &&
    html`<a href="${formatSectionPath(path, section.id)}"
      ><bdi ${renderLangAttribute(section.title)}>${escapeBidi(section.title)}</bdi></a
    >`
  return html`${
    (skipped > 0 || place) &&
    html`<p class="diff-fold">
      ${skipped > 0 && html`<span>… ${formatCount(skipped, 'unchanged line')}</span>`} ${place}
    </p>`
  }
  ${pieces.map(renderPiece)}`
}

/** At the beginning of a text. */
const BLANK_LINES = /^(?:[^\S\n]*\n)+/

/** Whole lines are a block each. Words in a line keep their place in its direction. */
function renderPiece(runs: readonly WordRun[]): Html | false {
  const [{ kind, text }] = runs as readonly [WordRun]
  const lang = renderLangAttribute(runs.map((run) => run.text).join(''))
  // Short, so that no line end comes between a tag and its text: spaces are shown.
  const renderLines = (name: string, content: HtmlValue): Html =>
    html`<div class="diff-${name}" dir="auto" ${lang}>${content}</div>`
  if (runs.length > 1) return renderLines('words', runs.map(renderRun))
  const isBlank = text.trim() === ''
  if (isBlank && kind === null) return false
  const lines = isBlank ? text : text.replace(BLANK_LINES, '').trimEnd()
  return renderLines(kind ?? 'same', renderRun({ kind, text: lines }))
}

function renderRun({ kind, text }: WordRun): Html {
  // Line ends are visible where nothing else changed.
  const shown = text.trim() === '' && kind !== null ? text.replaceAll('\n', '↵\n') : escapeBidi(text)
  if (kind === null) return html`${shown}`
  // For screen readers. The hidden word does not decide the direction.
  const name = html`<span class="unseen" dir="ltr">${kind}: </span>`
  return kind === 'added' ? html`<ins>${name}${shown}</ins>` : html`<del>${name}${shown}</del>`
}
