import { fieldLimits, findScheme } from '@packs/codec/internal'
import { html, type Html } from '@packs/theme'
import {
  cutText,
  escapeBidi,
  formatCount,
  formatDay,
  renderLangAttribute,
  formatNumber,
  formatFragment,
  formatSectionPath,
} from '../../html/display-text.ts'
import {
  formatShare,
  renderAddLink,
  measureCost,
  schemeWords,
  statedField,
  renderCostBar,
} from '../../html/pack-figures.ts'
import type { FastifyReply } from 'fastify'
import type { OpenedPack, Access, PackDependencies } from './open-pack.ts'
import { type Page, seesWholePacks } from '../page.ts'
import type { PackSummary, ReadingScope } from '@packs/catalog'
import type { ListedHeading } from '../../documents/divide-text.ts'
import type { PagePrompt } from '../../documents/read-document.ts'
import type { Rendering } from '../../rendering/create-renderer.ts'

type PackTab = 'read' | 'use' | 'versions'

interface ShellParts extends Partial<Page> {
  /** Beginning of the text, which tells its language. */
  readonly sample?: string
  /** Cards below those of all pages. */
  readonly side?: Html | false
  readonly contents?: Html | false
  /** The bar that copies, before the text in the order of the page. */
  readonly bar?: Html | false
  /** Whether the viewer gets only the preview, so that the costs are of more than is shown. */
  readonly isPreview?: boolean
}

/**
 * Sends a page of a pack: title, tabs, the column beside `main`.
 * Ids begin with `~`, unlike those of sections. Title and description are the pack's by default.
 */
export function sendPackPage(
  { pages }: Pick<PackDependencies, 'pages'>,
  opened: OpenedPack,
  tab: PackTab,
  main: Html,
  { sample = '', side, contents, bar, isPreview = false, ...page }: ShellParts = {},
): Promise<FastifyReply> {
  const { version, path, viewer, reply } = opened
  const { title } = version
  const { source, paid, saved } = measureCost(version)
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
        ${
          tab !== 'use' &&
          html`<span class="meta-cost"
            >${isPreview ? 'Whole pack: ' : ''}<b>${formatCount(paid, 'token')}</b>${saved > 0 && html`, <span class="saving">saves ${formatShare(saved / source)}</span>`}</span
          >`
        }
      </p>
      ${renderNotice(opened)}
      <nav class="tabs" aria-label="Pages of this pack">
        <ul>
          ${link('read', path, 'Read')} ${link('use', `${path}/use`, 'Use')}
          ${link('versions', `/browse/${version.slug}/versions`, 'Versions')}
        </ul>
      </nav>
    </div>
    ${bar}
    <div class="columns${contents && ' with-contents'}">
      ${contents} ${main}
      <div class="side">${tab !== 'use' && renderCost(opened, isPreview)} ${side} ${renderTrust(opened)}</div>
    </div>`
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

/** Copies the prompt of a pack with its tokens, or leads to it if they are not counted. */
export function renderUseBar(opened: OpenedPack, isPreview: boolean, prompt: PagePrompt | undefined): Html {
  const { version, path } = opened
  const link = html`<a class="button primary" href="${path}/use">Open the prompt</a>`
  const copy = html`<button
      type="button"
      class="copy primary"
      hidden
      data-copy-url="/browse/${version.slug}/${version.version}/use.md"
    >
      Copy ${isPreview && 'preview, '}${formatCount(prompt?.tokens ?? 0, 'token')}</button
    ><noscript>${link}</noscript>`
  return html`<div class="use-bar" id="~dock" tabindex="-1">
    ${prompt === undefined ? link : copy} ${renderAdd(opened)}
    ${
      prompt !== undefined &&
      html`<span class="quiet wide-only"
        >Copies
        ${isPreview ? 'the preview' : schemeWords[findScheme(version.compression)!][0]}${prompt.hasLinks && ', without addresses of links'}.
        <a href="${path}/use">Change</a></span
      >`
    }
  </div>`
}

export function renderAdd({ version, isExact }: OpenedPack): Html {
  const name = isExact ? `${version.slug}@${version.version}` : version.slug
  return renderAddLink(version, name, 'button add')
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
  </section>`
}

function renderTrust({ version, viewer }: OpenedPack): Html {
  const signers = version.signatures.map(({ key_id }) => key_id)
  const row = (name: string, value: string): Html =>
    html`<dt>${name}</dt>
      <dd><code class="digest">${value}</code></dd>`
  return html`<section class="card" aria-labelledby="~trust">
    <h2 id="~trust" class="verified">Round trip verified</h2>
    <p class="quiet">It restores its source byte for byte.</p>
    <details>
      <summary>Details</summary>
      <dl>
        ${row('Tokenizer', version.tokenizer)}
        ${row('Scheme', `${schemeWords[findScheme(version.compression)!][0]} (${version.compression})`)}
        ${
          seesWholePacks(viewer) &&
          html`${row('Signed by', signers.length === 0 ? 'nobody' : signers.join(' '))}
          ${row('SHA-256 of the source', version.sha256)} ${row('Digest of the pack', version.pack_digest)}`
        }
      </dl>
      <p class="quiet">
        ${
          seesWholePacks(viewer)
            ? html`<code>pack check FILE</code> decodes a download and compares both digests;
                <code>--key ID</code> asks for a signer. Operators run <code>pack verify</code>.`
            : 'Pro accounts see its digests and signers.'
        }
      </p>
    </details>
  </section>`
}

export function renderDownloads({ path }: OpenedPack, access: Access): Html {
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
    ${
      isFull &&
      html`<p class="quiet">
        The pack has its header; the text is its source, byte for byte.
        ${access.reason === 'pro' && html`The first reading of a version each day costs one request. You have ${formatNumber(access.state.remaining)} left.`}
      </p>`
    }
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

/** Entries of a list whose lower levels stay open. */
const MAX_OPEN = 40

/** Nests the headings; nothing for fewer than two. */
export function renderContents({ contents }: Rendering, scope: ReadingScope): Html | false {
  const { entries, total } = contents
  if (entries.length < 2) return false
  const more = total - entries.length
  return html`<nav class="contents" aria-label="Contents">
    <details>
      <summary>Contents <span class="quiet">${formatCount(total, 'section')}</span></summary>
      <div>
        ${renderEntries(entries, entries.length > MAX_OPEN)}
        ${more > 0 && html`<p class="quiet">And ${formatCount(more, 'more section')} in the text.</p>`}
        ${
          scope === 'preview' &&
          entries.some(({ place }) => place === 'locked') &&
          html`<p class="quiet">Sections marked Pro are beyond the preview.</p>`
        }
      </div>
    </details>
  </nav>`
}

/** Renders lists with lower-level headings nested below the one before, at most six lists deep. */
function renderEntries(entries: readonly ListedHeading[], isFolded: boolean): Html {
  const items: Html[] = []
  let at = 0
  while (at < entries.length) {
    let end = at + 1
    while (end < entries.length && entries[end]!.level > entries[at]!.level) end++
    const below = entries.slice(at + 1, end)
    // A heading above all others does not fold them.
    const list = below.length > 0 && renderEntries(below, isFolded)
    items.push(
      html`<li>
        ${renderEntry(entries[at]!)}
        ${
          isFolded && list && below.length < entries.length - 1
            ? html`<details>
                <summary>${formatCount(below.length, 'section')}</summary>
                ${list}
              </details>`
            : list
        }
      </li>`,
    )
    at = end
  }
  return html`<ul>
    ${items}
  </ul>`
}

/** Places in a long name where a line may end. */
const NAME_BREAK = /(?<=[.(,_/])(?=[^\s.(,_/])|(?<=[a-z])(?=[A-Z])/

function renderEntry({ id, title, place }: ListedHeading): Html {
  const parts = (title === '' ? 'Untitled' : escapeBidi(title)).split(NAME_BREAK)
  const name = html`<bdi ${renderLangAttribute(title)}
    >${parts.map((part, at) => html`${at > 0 && html`<wbr />`}${part}`)}</bdi
  >`
  if (place === 'here') return html`<a href="${formatFragment(id)}">${name}</a>`
  const [path] = formatSectionPath('', id).split('#') as [string]
  return place === 'locked'
    ? html`<a class="locked" href="${path}" rel="nofollow">${name}</a>`
    : html`<a href="${formatSectionPath('', id)}" rel="nofollow">${name}</a>`
}
