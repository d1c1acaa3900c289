import type { VersionLine, VersionRecord } from '@packs/catalog'
import { MAX_DESCRIPTION, MAX_TAGS } from '@packs/codec/pack'
import {
  escapeBidi,
  renderLangAttribute,
  formatCount,
  formatDay,
  formatNumber,
} from '../../html/display-text.ts'
import { html, trustMarkup, type Html } from '@packs/codec/theme'
import { renderTokenChart, renderContents, renderAbout, renderEvaluations } from './pack-about.ts'
import type { Rendering } from '../../markdown/create-renderer.ts'
import { formatSignInPath } from '../../security/cross-site-protection.ts'
import { describeExceededQuota, type Access } from './decide-access.ts'

export interface PackView {
  readonly version: VersionRecord
  readonly versions: readonly VersionLine[]
  readonly access: Access
  readonly rendering: Rendering
  readonly now: Date
}

/** Versions to list on the page. The API returns all of them. */
const MAX_VERSIONS = 50

/**
 * Renders the page of a pack: downloads, token counts, the text that the visitor may see, header,
 * evaluations and versions. Ids on the page begin with `~`, unlike any section id, so `#versions`
 * is always a section.
 */
export function renderPack(view: PackView): Html {
  const { version } = view
  const { title, domain, subdomain } = version
  const around = `${title} ${stripTags(view.rendering)}`
  return html`<div class="lead">
      <p class="crumbs">
        <a href="/browse">Browse</a> <span aria-hidden="true">›</span>
        <a href="/browse?domain=${version.domain_slug}"
          ><bdi ${renderLangAttribute(domain, around)}>${escapeBidi(domain)}</bdi></a
        >
      </p>
      <h1><bdi ${renderLangAttribute(title, around)}>${escapeBidi(title)}</bdi></h1>
      <p class="quiet meta">
        <bdi ${renderLangAttribute(subdomain, around)}>${escapeBidi(subdomain)}</bdi>
        <span class="chip">${version.difficulty}</span>
        <span>version ${version.version}</span>
        <time datetime="${version.published_at}">${formatDay(version.published_at)}</time>
      </p>
      ${renderAbout(version, { characters: MAX_DESCRIPTION, tags: MAX_TAGS })} ${renderDownloads(view)}
    </div>
    <div class="columns">
      <section class="card cost" aria-labelledby="~cost">
        <h2 id="~cost">Token cost</h2>
        ${renderTokenChart(version)}
        <p class="quiet">Tokenizer ${version.tokenizer}, scheme ${version.compression}.</p>
      </section>
      ${renderText(view)}
      <div class="side">${renderHeader(view)} ${renderEvaluations(version)} ${renderVersions(view)}</div>
    </div>`
}

function renderText(view: PackView): Html {
  const { access, rendering, version, now } = view
  const name = access.scope === 'full' ? 'Text' : 'Preview'
  const lang = renderLangAttribute(stripTags(rendering))
  return html`<section class="text" aria-labelledby="~text">
    <h2 id="~text" class="label">${name}</h2>
    ${access.scope === 'preview' && !isEmpty(rendering) && renderPreviewNote(access, version, now)}
    ${renderContents(rendering, access.scope)}
    <div class="prose" id="~intro" dir="auto" ${lang}>${trustMarkup(rendering.markup)}</div>
    ${isEmpty(rendering) && renderNoTextNote(view)}
    ${
      rendering.isTruncated &&
      html`<p class="note">
        This page shows only the beginning. <a href="${formatMarkdownPath(view)}">Download the text</a> to
        read the rest.
      </p>`
    }
  </section>`
}

/** Returns the beginning of the text without tags. */
function stripTags({ markup }: Rendering): string {
  return markup.slice(0, 8000).replace(/<[^<>]*>/g, '')
}

function isEmpty({ markup }: Rendering): boolean {
  return markup.trim() === ''
}

function renderNoTextNote({ access, version }: PackView): Html {
  if (access.scope === 'full') return html`<p class="quiet">This pack has no text.</p>`
  return html`<p class="quiet">
    This pack is too short for a preview.
    ${access.reason === 'visitor' && html`<a href="${formatSignInPath(`/browse/${version.slug}`)}">Sign in</a> with a Pro account to see it.`}
  </p>`
}

/**
 * Requests the full text if the page shows it. Once the session has ended, the link then leads to
 * sign-in, not to a preview.
 */
function formatMarkdownPath({ version, access }: PackView): string {
  return `/browse/${version.slug}.md${access.scope === 'full' ? '?full=1' : ''}`
}

function renderPreviewNote(access: Access & { scope: 'preview' }, { slug }: VersionRecord, now: Date): Html {
  switch (access.reason) {
    case 'visitor':
      return html`<p class="note">
        This is the first fifth of the pack.
        <a href="${formatSignInPath(`/browse/${slug}`)}">Sign in</a> with a Pro account to see all of it.
      </p>`
    case 'free':
      return html`<p class="note">
        This is the first fifth of the pack. Your account is Free; Pro accounts see all of it.
      </p>`
    case 'quota-exceeded': {
      const { reason, hint } = describeExceededQuota(access.state, now)
      return html`<p class="note">This is only the first fifth of the pack. ${reason}. ${hint}</p>`
    }
  }
}

function renderDownloads(view: PackView): Html {
  const { version, access, rendering } = view
  const isFull = access.scope === 'full'
  const { slug } = version
  return html`<section class="downloads" aria-label="Download">
    ${
      (isFull || !isEmpty(rendering)) &&
      html`<p class="actions">
        ${
          isFull &&
          html`<a class="button primary" href="/browse/${slug}.pack.json"
            >Download pack <span class="kind">.pack.json</span></a
          >`
        }
        <a class="button" href="${formatMarkdownPath(view)}"
          >Download ${isFull ? 'markdown' : 'preview'} <span class="kind">.md</span></a
        >
      </p>`
    }
    <p class="quiet">
      ${
        isFull
          ? html`Get the pack with its header, or the source that it decodes to, byte for byte.`
          : html`Only Pro accounts can download the pack itself, <code>.pack.json</code>.`
      }
      ${access.reason === 'pro' && html`Opening this page and each download count as a request. You have ${formatNumber(access.state.remaining)} left today.`}
    </p>
  </section>`
}

function renderHeader({ version, access, rendering }: PackView): Html {
  if (version.compression === 'none') {
    return html`<section class="card" aria-labelledby="~header">
      <h2 id="~header">Header</h2>
      <p class="quiet">This pack is the unchanged source. There is nothing to decode.</p>
    </section>`
  }
  const tokens = formatCount(version.rosetta_tokens, 'token')
  if (access.scope === 'preview') {
    return html`<section class="card" aria-labelledby="~header">
      <h2 id="~header">Header</h2>
      <p class="quiet">${tokens}, included in the full pack.</p>
    </section>`
  }
  const isTruncated = rendering.isHeaderTruncated
  return html`<section class="card" aria-labelledby="~header">
    <h2 id="~header">Header</h2>
    <p class="quiet">${tokens}. Put it in the system prompt, before the content.</p>
    <pre class="header-text" tabindex="0" ${!isTruncated && 'data-copy'}>${escapeBidi(rendering.header)}</pre>
    ${isTruncated && html`<p class="quiet">This is only the beginning of the header. The download has all of it.</p>`}
  </section>`
}

function renderVersions({ versions, version }: PackView): Html {
  return html`<section class="card" aria-labelledby="~versions">
    <h2 id="~versions">Versions</h2>
    <ol class="versions">
      ${versions.slice(0, MAX_VERSIONS).map(
        (line) =>
          html`<li>
            <b>${line.version}</b>
            <time class="quiet" datetime="${line.published_at}">${formatDay(line.published_at)}</time>
            <span class="quiet"
              >${line.token_count === null ? 'damaged' : formatCount(line.token_count, 'token')}</span
            >
            ${line.yanked && html`<span class="yanked">yanked: ${escapeBidi(line.yanked_reason ?? '')}</span>`}
          </li>`,
      )}
    </ol>
    ${versions.length > MAX_VERSIONS && html`<p class="quiet">These are the newest ${MAX_VERSIONS} of ${formatNumber(versions.length)} versions.</p>`}
    <details>
      <summary>Checksum of the source</summary>
      <p><code class="digest">${version.sha256}</code> <span class="quiet">SHA-256</span></p>
    </details>
  </section>`
}
