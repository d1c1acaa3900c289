import { fieldLimits } from '@packs/codec/internal'
import { html, type Html } from '@packs/theme'
import {
  cutText,
  escapeBidi,
  formatCount,
  formatDay,
  renderLangAttribute,
  formatNumber,
  formatFragment,
} from '../../html/display-text.ts'
import {
  describeSaving,
  formatShare,
  measureCost,
  statedField,
  renderCostBar,
} from '../../html/pack-figures.ts'
import type { FastifyReply } from 'fastify'
import { type OpenedPack, type Access, type PackDependencies, seesDigests } from './open-pack.ts'
import { type Page, renderProHint } from '../page.ts'
import type { PackSummary } from '@packs/catalog'
import type { Scope } from '../../documents/read-document.ts'
import type { ContentsEntry, Rendering } from '../../rendering/create-renderer.ts'

type PackTab = 'read' | 'use' | 'versions'

interface ShellParts extends Partial<Page> {
  /** Beginning of the text, which tells its language. */
  readonly sample?: string
  /** Cards below those of all pages. */
  readonly side?: Html | false
  readonly contents?: Html | false
  /** Whether the viewer gets only the preview, so that the costs are of more than is shown. */
  readonly isPreview?: boolean
}

/**
 * Sends a page of a pack: title, tabs, the column beside `main` and the bar to the prompt.
 * Ids begin with `~`, unlike those of sections. Title and description are the pack's by default.
 */
export function sendPackPage(
  { pages }: Pick<PackDependencies, 'pages'>,
  opened: OpenedPack,
  tab: PackTab,
  main: Html,
  { sample = '', side, contents, isPreview = false, ...page }: ShellParts = {},
): Promise<FastifyReply> {
  const { version, path, viewer, reply } = opened
  const { title } = version
  const around = `${title} ${sample}`
  const link = (name: PackTab, target: string, text: string): Html =>
    html`<li><a href="${target}" ${name === tab && html`aria-current="page"`}>${text}</a></li>`
  const shell = html`<div class="lead pack-lead">
      ${renderCrumbs(opened, around)}
      <h1><bdi ${renderLangAttribute(title, around)}>${escapeBidi(title)}</bdi></h1>
      ${renderAbout(version, { characters: fieldLimits.description, tags: fieldLimits.tags })}
      <p class="quiet meta">
        ${statedField(version, 'difficulty') !== undefined && html`<span class="chip">${version.difficulty}</span>`}
        <span>Version ${version.version}</span>
        <time datetime="${version.published_at}">${formatDay(version.published_at)}</time>
        ${tab !== 'use' && renderCostLine(opened, 'meta-cost', isPreview, describeSaving(version).replace(/,.*/, ''))}
      </p>
      ${renderNotice(opened)}
      <nav class="tabs" aria-label="Pages of this pack">
        <ul>
          ${link('read', path, 'Read')} ${link('use', `${path}/use`, 'Use')}
          ${link('versions', `/browse/${version.slug}/versions`, 'Versions')}
        </ul>
      </nav>
    </div>
    <div class="columns${contents && ' with-contents'}">
      ${contents} ${main}
      <div class="side">${tab !== 'use' && renderCost(opened, isPreview)} ${side} ${renderTrust(opened)}</div>
    </div>
    ${tab !== 'use' && renderUseBar(opened, isPreview)}`
  return pages.send(reply, {
    title,
    description: version.description ?? version.lead,
    viewer,
    section: 'browse',
    canonical: `/browse/${version.slug}`,
    ...page,
    main: shell,
  })
}

function renderCrumbs({ version }: OpenedPack, around: string): Html {
  const name = (text: string): Html =>
    html`<bdi ${renderLangAttribute(text, around)}>${escapeBidi(text)}</bdi>`
  const separator = html` <span aria-hidden="true">›</span> `
  return html`<p class="crumbs">
    <a href="/browse">Browse</a>
    ${statedField(version, 'domain') !== undefined && html`${separator}<a href="/browse?domain=${version.domain_slug}">${name(version.domain)}</a>`}
    ${statedField(version, 'subdomain') !== undefined && html`${separator}${name(version.subdomain)}`}
  </p>`
}

function renderUseBar(opened: OpenedPack, isPreview: boolean): Html {
  const {
    version: { slug, version },
    path,
    isExact,
  } = opened
  const name = isExact ? `${slug}@${version}` : slug
  return html`<div class="use-bar">
    <a class="button primary" href="${path}/use">Use in a prompt</a>
    <a class="button" href="/prompt?pack=${name}">Add to prompt</a>
    ${renderCostLine(opened, 'use-cost', isPreview)}
  </div>`
}

/** The cost in one line, for where the card with all figures is not in sight. */
function renderCostLine(
  { version }: OpenedPack,
  name: string,
  isPreview: boolean,
  saving = describeSaving(version),
): Html {
  const { paid, saved } = measureCost(version)
  return html`<span class="${name}"
    >${isPreview ? 'The whole pack costs' : 'Costs'} <b>${formatCount(paid, 'token')}</b>
    <span class="${saved > 0 ? 'saving' : ''}">${saving}</span></span
  >`
}

/** Tells that the page shows an earlier or a yanked version. */
function renderNotice({ version, isExact, versions }: OpenedPack): Html | false {
  const { slug, yanked, yanked_reason: reason } = version
  const latest = versions.find((line) => !line.yanked)
  const isOld = isExact && latest !== undefined && latest.version !== version.version
  if (!yanked && !isOld) return false
  return html`<p class="note">
    ${yanked && html`Version ${version.version} was yanked: <bdi>${escapeBidi(reason ?? '')}</bdi>.`}
    ${!yanked && `This is version ${version.version}, not the latest one.`}
    ${latest !== undefined && html`<a href="/browse/${slug}">Go to version ${latest.version}</a>`}
  </p>`
}

function renderCost({ version }: OpenedPack, isPreview: boolean): Html {
  const { source, paid, content, saved } = measureCost(version)
  const row = (kind: string, name: string, tokens: number): Html =>
    html`<div class="legend-${kind}">
      <dt>${name}</dt>
      <dd>${formatNumber(tokens)}</dd>
    </div>`
  return html`<section class="card" aria-labelledby="~cost">
    <h2 id="~cost">${isPreview ? 'The whole pack' : 'Cost'}</h2>
    <p class="cost-figure"><b>${formatNumber(paid)}</b> ${paid === 1 ? 'token' : 'tokens'}</p>
    ${
      saved > 0
        ? html`${renderCostBar(version)}
            <dl class="legend">
              ${row('content', 'Content', content)}
              ${content < paid && row('header', 'Header', paid - content)}
              ${row('saved', `Saved, ${formatShare(saved / source)}`, saved)} ${row('sum', 'Source', source)}
            </dl>`
        : html`<p>Sent as it is: shortening would save nothing.</p>`
    }
    <p class="quiet">Tokenizer ${version.tokenizer}${saved > 0 && `, scheme ${version.compression}`}</p>
  </section>`
}

function renderTrust({ version, viewer }: OpenedPack): Html {
  const isShown = seesDigests(viewer)
  const signers = version.signatures.map(({ key_id }) => key_id)
  const digest = (name: string, value: string): Html =>
    html`<dt>${name}</dt>
      <dd><code class="digest">${value}</code></dd>`
  return html`<section class="card" aria-labelledby="~trust">
    <h2 id="~trust">Trust</h2>
    <ul class="trust">
      <li class="verified"><b>Round trip verified:</b> restores its source byte for byte</li>
      <li>
        Version ${version.version}, published
        <time datetime="${version.published_at}">${formatDay(version.published_at)}</time>
      </li>
      ${
        !isShown
          ? html`<li>Pro accounts see its digests and signers</li>`
          : signers.length === 0
            ? html`<li>Not signed by its publisher</li>`
            : signers.map((id) => html`<li>Signed by <code class="digest">${id}</code></li>`)
      }
    </ul>
    ${
      isShown &&
      html`<details>
        <summary>Digests, and how to check</summary>
        <dl>
          ${digest('SHA-256 of the source', version.sha256)}
          ${digest('Digest of the pack', version.pack_digest)}
        </dl>
        <p class="quiet">
          <code>pack check FILE</code> decodes a download and compares both digests;
          <code>--key ID</code> asks for a signer. Operators run <code>pack verify</code>.
        </p>
      </details>`
    }
  </section>`
}

export function renderDownloads({ path }: OpenedPack, access: Access, contact: string | undefined): Html {
  const isFull = access.scope === 'full'
  return html`<section class="card" aria-labelledby="~get">
    <h2 id="~get">Get it</h2>
    <ul class="downloads">
      ${
        isFull &&
        html`<li>
          <a class="button" href="${path}.pack.json">Download pack <span class="kind">.pack.json</span></a>
        </li>`
      }
      <li>
        <a class="button" href="${path}.md${isFull && '?full=1'}"
          >Download ${isFull ? 'text' : 'preview'} <span class="kind">.md</span></a
        >
      </li>
    </ul>
    <p class="quiet">
      ${isFull ? 'The pack has its header; the text is its source, byte for byte.' : html`Pro accounts get the whole pack. ${renderProHint(contact)}`}
      ${access.reason === 'pro' && html`A version costs one request a day. You have ${formatNumber(access.state.remaining)} left.`}
    </p>
  </section>`
}

/** Renders the description and tags from the author of a pack, if any, up to these limits. */
export function renderAbout(
  { title, description, tags = [] }: Pick<PackSummary, 'title' | 'description' | 'tags'>,
  limits: { readonly characters: number; readonly tags: number },
): Html {
  const around = `${title} ${description ?? ''}`
  const shown = tags.slice(0, limits.tags)
  return html`${
    description !== undefined &&
    html`<p class="about" dir="auto" ${renderLangAttribute(description, title)}>
      ${escapeBidi(cutText(description, limits.characters))}
    </p>`
  }
  ${
    shown.length > 0 &&
    html`<p class="tags quiet">
      <span>Tags:</span>
      ${shown.map((tag) => html`<bdi class="tag" ${renderLangAttribute(tag, around)}>${escapeBidi(tag)}</bdi> `)}
      ${tags.length > shown.length && html`<span>and ${formatNumber(tags.length - shown.length)} more</span>`}
    </p>`
  }`
}

/** Nests the headings; nothing for fewer than two. Those beyond the shown part have no link. */
export function renderContents({ contents }: Rendering, scope: Scope): Html | false {
  const { entries, total } = contents
  if (entries.length < 2) return false
  const more = total - entries.length
  const hasLinks = entries.some(({ isLinked }) => isLinked)
  return html`<nav class="contents" aria-label="Contents">
    <details>
      <summary>Contents <span class="quiet">${formatCount(total, 'section')}</span></summary>
      <div>
        ${renderEntries(entries)}
        ${more > 0 && html`<p class="quiet">And ${formatCount(more, 'more section')}.</p>`}
        ${
          hasLinks &&
          entries.some(({ isLinked }) => !isLinked) &&
          html`<p class="quiet">
            Sections without a link are beyond
            ${scope === 'preview' ? 'the preview' : 'the part that this page shows'}.
          </p>`
        }
      </div>
    </details>
  </nav>`
}

/** Renders lists with lower-level headings nested below the one before, at most six lists deep. */
function renderEntries(entries: readonly ContentsEntry[]): Html | false {
  if (entries.length === 0) return false
  const items: Html[] = []
  let at = 0
  while (at < entries.length) {
    const entry = entries[at]!
    let end = at + 1
    while (end < entries.length && entries[end]!.level > entry.level) end++
    items.push(html`<li>${renderEntry(entry)} ${renderEntries(entries.slice(at + 1, end))}</li>`)
    at = end
  }
  return html`<ul>
    ${items}
  </ul>`
}

/** A heading without a link has its id here, so that links to it lead to its entry in the list. */
function renderEntry({ id, title, isLinked }: ContentsEntry): Html {
  const name = html`<bdi ${renderLangAttribute(title)}>${title === '' ? 'Untitled' : escapeBidi(title)}</bdi>`
  return isLinked
    ? html`<a href="${formatFragment(id)}">${name}</a>`
    : html`<span id="${id}" class="quiet">${name}</span>`
}
