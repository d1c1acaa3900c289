import type { RosettaEntry } from '@packs/codec'
import { html, type Html } from '@packs/codec/theme'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  compareWork,
  type DiffPart,
  type VersionComparison,
  type WordRun,
} from '../../documents/compare-versions.ts'
import { escapeBidi, formatCount } from '../../html/display-text.ts'
import { decideAccess, type Access } from './decide-access.ts'
import type { OpenedPack, PackDependencies } from './open-pack.ts'
import { renderPackShell } from './pack-shell.ts'
import { findBefore, formatChange } from './versions-page.ts'

/** Shows what changed since the version before. Both are charged, each once a day. */
export async function showChanges(
  { pages, ports, versionQuota, documentQueue }: PackDependencies,
  opened: OpenedPack,
  _request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { version, versions, viewer, owner, now } = opened
  const { slug, title, sequence, bytes } = version
  const line = findBefore(versions, version.version)
  const before = line && (await ports.catalog.packs.find(slug, line.version))
  const page = { viewer, section: 'browse', canonical: `/browse/${slug}/${version.version}/changes` } as const
  const name = `Changes in ${title} ${version.version}`
  const send = (main: Html): Promise<FastifyReply> =>
    pages.send(reply, {
      ...page,
      title: name,
      main: renderPackShell(opened, 'versions', main),
      isUnlisted: true,
    })
  if (before === undefined)
    return send(
      html`<section class="text">
        <h2>Nothing came before version ${version.version}</h2>
        <p>
          It is the first one, or all earlier ones were yanked.
          <a href="/browse/${slug}/versions">See all versions</a>.
        </p>
      </section>`,
    )
  const sequences = [before.sequence, sequence] as const
  const access = await decideAccess(viewer, (account) => versionQuota.take(account, now, sequences))
  const task = { sequences, scope: access.scope }
  const found = await documentQueue.run(compareWork, task, { owner, bytes: bytes + before.bytes })
  return send(renderChanges(opened, before.version, access, found))
}

function renderChanges(
  { version: { slug, version } }: OpenedPack,
  before: string,
  { scope }: Access,
  { source, prompt, headings, entries, parts, isTruncated }: VersionComparison,
): Html {
  const isSame = parts.every(({ kind }) => kind === 'same')
  return html`<section class="text changes" aria-labelledby="~changes">
    <h2 id="~changes">What changed from ${before} to ${version}</h2>
    <p class="quiet">
      <a href="/browse/${slug}/${before}">Version ${before}</a>,
      <a href="/browse/${slug}/${version}">version ${version}</a>,
      <a href="/browse/${slug}/versions">all versions</a>
    </p>
    <dl class="facts-list">
      <div>
        <dt>Tokens of the source</dt>
        <dd>${formatChange(...source)}</dd>
      </div>
      ${
        prompt !== undefined &&
        html`<div>
          <dt>Tokens as a prompt</dt>
          <dd>${formatChange(...prompt)}</dd>
        </div>`
      }
    </dl>
    ${renderLists('Headings', headings, (heading) => html`<bdi>${escapeBidi(heading)}</bdi>`)}
    <h3>Text</h3>
    ${scope === 'preview' && html`<p class="note">This compares the previews of both versions. Pro accounts see all of both texts.</p>`}
    ${isSame ? html`<p>The ${scope === 'preview' ? 'previews are' : 'text is'} the same.</p>` : html`<div class="diff" dir="auto">${parts.map(renderPart)}</div>`}
    ${isTruncated && html`<p class="note">More changed than this page shows. <code>pack diff</code> compares two downloads in full.</p>`}
    ${scope === 'full' && renderEntries(entries)}
  </section>`
}

function renderEntries(entries: VersionComparison['entries']): Html | false {
  const lists = renderLists('Terms', entries, renderEntry)
  if (lists === false) return false
  const { added, removed } = entries
  return html`<details>
    <summary>Terms of the header: ${added.length} came, ${removed.length} went</summary>
    <div>${lists}</div>
  </details>`
}

function renderEntry({ term, expansion }: RosettaEntry): Html {
  return html`<bdi><b>${escapeBidi(term)}</b></bdi> = <bdi>${escapeBidi(expansion)}</bdi>`
}

function renderLists<T>(
  name: string,
  { added, removed }: { readonly added: readonly T[]; readonly removed: readonly T[] },
  render: (item: T) => Html,
): Html | false {
  if (added.length + removed.length === 0) return false
  const list = (sign: string, items: readonly T[]): Html | false =>
    items.length > 0 &&
    html`<li>${sign}: ${items.map((item, at) => html`${at > 0 && ', '}${render(item)}`)}</li>`
  return html`<h3>${name}</h3>
    <ul>
      ${list('Added', added)} ${list('Removed', removed)}
    </ul>`
}

function renderPart(part: DiffPart): Html {
  if (part.kind === 'changed')
    return html`<div class="diff-changed" dir="auto">${part.runs.map(renderRun)}</div>`
  const { lines, first, last } = part
  if (lines <= 3)
    return html`<div class="diff-same" dir="auto">
      ${escapeBidi(lines === 1 ? first : `${first}${lines === 3 ? '…\n' : ''}${last}`)}
    </div>`
  return html`<div class="diff-same" dir="auto">
    ${escapeBidi(first)}<span class="diff-fold">… ${formatCount(lines - 2, 'unchanged line')}</span>
    ${escapeBidi(last)}
  </div>`
}

function renderRun({ kind, text }: WordRun): Html {
  const shown = escapeBidi(text)
  if (kind === 'added') return html`<ins><span class="unseen">added: </span>${shown}</ins>`
  if (kind === 'removed') return html`<del><span class="unseen">removed: </span>${shown}</del>`
  return html`${shown}`
}
