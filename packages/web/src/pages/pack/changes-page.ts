import type { RosettaEntry } from '@packs/codec'
import { html, type Html, type HtmlValue } from '@packs/theme'
import type { FastifyReply } from 'fastify'
import {
  compareWork,
  type Differences,
  type Hunk,
  type VersionComparison,
  type WordRun,
} from '../../documents/compare-versions.ts'
import {
  escapeBidi,
  formatCount,
  formatFragment,
  formatNumber,
  renderLangAttribute,
} from '../../html/display-text.ts'
import { measureCost } from '../../html/pack-figures.ts'
import { formatSignInPath } from '../../security/cross-site-protection.ts'
import { renderProHint } from '../page.ts'
import {
  describeExceededQuota,
  type Access,
  openAccess,
  type OpenedPack,
  type PackDependencies,
} from './open-pack.ts'
import { sendPackPage } from './pack-shell.ts'
import { findBefore, formatDifference } from './versions-page.ts'

/** Shows what changed since the version before. Both are charged, each once a day. */
export async function showChanges(dependencies: PackDependencies, opened: OpenedPack): Promise<FastifyReply> {
  const { ports, site, documentQueue } = dependencies
  const { version, versions, owner, now } = opened
  const { slug, title, sequence, bytes } = version
  const path = `/browse/${slug}/${version.version}/changes`
  const send = (main: Html): Promise<FastifyReply> =>
    sendPackPage(dependencies, opened, 'versions', main, {
      title: `Changes in ${title} ${version.version}`,
      description: undefined,
      canonical: path,
      isUnlisted: true,
    })
  const line = findBefore(versions, version.version)
  const before = line && (await ports.catalog.packs.find(slug, line.version))
  if (before === undefined) return send(renderFirst(opened))
  const sequences = [before.sequence, sequence] as const
  const access = await openAccess(dependencies, opened, [before, version])
  const task = { sequences, scope: access.scope }
  const found = await documentQueue.run(compareWork, task, { owner, bytes: bytes + before.bytes })
  const [old, fresh] = [measureCost(before), measureCost(version)]
  const back = html`<p class="quiet"><a href="/browse/${slug}/versions">All versions</a></p>`
  const number = (name: string): Html => html`<a href="/browse/${slug}/${name}">${name}</a>`
  return send(
    html`<section class="text changes" aria-labelledby="~changes">
      ${back}
      <h2 id="~changes">What changed from ${number(before.version)} to ${number(version.version)}</h2>
      <p>${summarize(found)}</p>
      ${renderAccess(access, path, now, site.contact)}
      <dl class="facts-list">
        ${renderTokens('Tokens of the source', old.source, fresh.source)}
        ${renderTokens('Tokens in a prompt', old.prompt, fresh.prompt)}
      </dl>
      ${
        found.headings &&
        renderDifferences(
          'Headings',
          found.headings,
          (title) =>
            html`<bdi ${renderLangAttribute(title)}>${title === '' ? 'Untitled' : escapeBidi(title)}</bdi>`,
        )
      }
      ${renderText(found, access, opened, before.version)}
      ${found.entries && renderDifferences('Terms', found.entries, renderEntry, 'All chosen again for this text: ')}
      ${back}
    </section>`,
  )
}

function renderFirst({ version: { slug, version }, versions }: OpenedPack): Html {
  const isFirst = versions.at(-1)?.version === version
  return html`<section class="text">
    <h2>Nothing came before version ${version}</h2>
    <p>
      ${isFirst ? 'It is the first version, so there is nothing to compare it with.' : 'All earlier versions were yanked, so there is nothing to compare it with.'}
    </p>
    <p>
      <a href="/browse/${slug}/${version}">Read version ${version}</a>, or
      <a href="/browse/${slug}/versions">see all versions</a>.
    </p>
  </section>`
}

/** Says which texts are compared, and what that cost. */
function renderAccess(access: Access, path: string, now: Date, contact: string | undefined): Html | false {
  switch (access.reason) {
    case 'recovery':
      return false
    case 'pro':
      return html`<p class="quiet">
        Comparing costs one request a day for each version. You have ${formatNumber(access.state.remaining)}
        left.
      </p>`
    case 'visitor':
      return html`<p class="note">
        This compares the previews of both versions. <a href="${formatSignInPath(path)}">Sign in</a> with a
        Pro account to compare the whole texts.
      </p>`
    case 'free':
      return html`<p class="note">
        This compares the previews of both versions. Your account is Free; Pro accounts compare the whole
        texts. ${renderProHint(contact)}
      </p>`
    case 'quota-exceeded': {
      const { remaining } = access.state
      const { reason, hint } = describeExceededQuota(access.state, now)
      return html`<p class="note">
        This compares only the previews.
        ${
          remaining > 0 && !access.state.isFallback
            ? `Comparing costs one request for each version, and your account has ${formatNumber(remaining)} left today`
            : reason
        }.
        ${hint}
      </p>`
    }
  }
}

function renderTokens(name: string, before: number, after: number): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${formatNumber(before)} → <b>${formatNumber(after)}</b> (${formatDifference(before, after)})</dd>
  </div>`
}

function renderEntry({ term, expansion }: RosettaEntry): Html {
  return html`<bdi><b>${escapeBidi(term)}</b></bdi> = <bdi>${escapeBidi(expansion)}</bdi>`
}

/** Sums what changed in one line. */
function summarize({ hunks, headings, isTruncated }: VersionComparison): string {
  const kinds = hunks.flatMap(({ pieces }) =>
    pieces.map((runs) => (runs.length > 1 ? 'changed' : runs[0]!.kind)),
  )
  const passages = ['changed', 'added', 'removed'].map((change) => {
    return [kinds.filter((kind) => kind === change).length, 'passage', change] as const
  })
  const [added = 0, removed = 0] = headings?.counts ?? []
  const sums = [...passages, [added, 'heading', 'added'] as const, [removed, 'heading', 'removed'] as const]
    .filter(([count]) => count > 0)
    .map(([count, one, change]) => `${formatCount(count, one)} ${change}`)
  return sums.length === 0 ? 'The text is the same.' : `${isTruncated ? 'At least ' : ''}${sums.join(', ')}.`
}

/** Longer lists are collapsed. */
const MAX_OPEN = 12

function renderDifferences<T>(
  name: string,
  { added, removed, counts }: Differences<T>,
  render: (item: T) => Html,
  about = '',
): Html | false {
  const total = counts[0] + counts[1]
  if (total === 0) return false
  const more = total - added.length - removed.length
  const list = html`<ul class="differences">
      ${removed.map((item) => html`<li>${renderChange('removed', render(item))}</li>`)}
      ${added.map((item) => html`<li>${renderChange('added', render(item))}</li>`)}
    </ul>
    ${more > 0 && html`<p class="quiet">And ${formatNumber(more)} more.</p>`}`
  const sum = `${formatNumber(counts[0])} added, ${formatNumber(counts[1])} removed`
  return html`<h3>${name}</h3>
    ${
      total > MAX_OPEN
        ? html`<details>
            <summary>${about}${sum}</summary>
            ${list}
          </details>`
        : list
    }`
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
    html`<a href="${path}${formatFragment(section.id)}"
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
  return kind === null ? html`${shown}` : renderChange(kind, html`${shown}`)
}

/** Marks a change, for screen readers too. The hidden word does not decide the direction. */
function renderChange(kind: 'added' | 'removed', content: Html): Html {
  const name = html`<span class="unseen" dir="ltr">${kind}: </span>`
  return kind === 'added' ? html`<ins>${name}${content}</ins>` : html`<del>${name}${content}</del>`
}
