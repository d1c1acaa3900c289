import type { PackVersion, VersionLine } from '@packs/catalog'
import type { Pack } from '@packs/codec/pack'
import { formatCount, formatDay, formatNumber } from '../../html/format-values.ts'
import { html, trustMarkup, type Html } from '../../html/html.ts'
import { markLanguage, showHidden } from '../../html/display-text.ts'
import { drawTokens } from '../../html/token-picture.ts'
import type { Rendering } from '../../markdown/rendering.ts'
import { formatSignInPath } from '../../security/read-return-path.ts'
import { type Access, explainSpent } from './decide-access.ts'

export interface PackView {
  readonly version: PackVersion
  readonly pack: Pack
  readonly versions: readonly VersionLine[]
  readonly access: Access
  readonly rendering: Rendering
  readonly now: Date
}

/** Versions that a page lists; the API has all. */
const MOST_VERSIONS = 50
/** Longest header that a page shows, UTF-16 units; the download has all of it. */
const MOST_HEADER = 20_000

/** One pack: downloads, what it costs, its text as far as the visitor may see it, header and versions. */
export function renderPack(view: PackView): Html {
  const { version, pack } = view
  const { title, domain, subdomain } = version
  const around = `${title} ${readWords(view.rendering)}`
  return html`<div class="lead">
      <p class="crumbs">
        <a href="/browse">Browse</a> <span aria-hidden="true">›</span>
        <a href="/browse?domain=${version.domain_slug}"
          ><bdi ${markLanguage(domain, around)}>${showHidden(domain)}</bdi></a
        >
      </p>
      <h1><bdi ${markLanguage(title, around)}>${showHidden(title)}</bdi></h1>
      <p class="quiet meta">
        <bdi ${markLanguage(subdomain, around)}>${showHidden(subdomain)}</bdi>
        <span class="chip">${version.difficulty}</span>
        <span>version ${version.version}</span>
        <time datetime="${version.published_at}">${formatDay(version.published_at)}</time>
      </p>
      ${renderDownloads(view)}
    </div>
    <div class="columns">
      <section class="card cost" aria-labelledby="cost">
        <h2 id="cost">What it costs</h2>
        ${drawTokens(version)}
        <p class="quiet">Tokens, counted in ${version.tokenizer}. Scheme ${version.compression}.</p>
      </section>
      ${renderText(view)}
      <div class="side">${renderHeader(pack, view.access)} ${renderVersions(view)}</div>
    </div>`
}

function renderText(view: PackView): Html {
  const { access, rendering, version, now } = view
  const name = access.sees === 'full' ? 'Text' : 'Preview'
  return html`<section class="text" aria-labelledby="text">
    <h2 id="text" class="label">${name}</h2>
    ${access.sees === 'preview' && !isEmpty(rendering) && renderPreviewNote(access, version, now)}
    <div class="prose" dir="auto" ${markLanguage(readWords(rendering))}>${trustMarkup(rendering.markup)}</div>
    ${isEmpty(rendering) && renderEmptyNote(view)}
    ${
      rendering.isCut &&
      html`<p class="note">
        The page shows the beginning of this text. <a href="${formatMarkdownPath(view)}">Download it</a> to
        read on.
      </p>`
    }
  </section>`
}

/** The beginning without its tags. */
function readWords({ markup }: Rendering): string {
  return markup.slice(0, 8000).replace(/<[^>]*>/g, '')
}

function isEmpty({ markup }: Rendering): boolean {
  return markup.trim() === ''
}

function renderEmptyNote({ access, version }: PackView): Html {
  if (access.sees === 'full') return html`<p class="quiet">This pack has no text.</p>`
  return html`<p class="quiet">
    This pack is too short for a preview.
    ${access.why === 'visitor' && html`<a href="${formatSignInPath(`/browse/${version.slug}`)}">Sign in</a> with a Pro account to see it.`}
  </p>`
}

/** Asks for the full text where that is what the page shows, so that what comes later is never less unsaid. */
function formatMarkdownPath({ version, access }: PackView): string {
  return `/browse/${version.slug}.md${access.sees === 'full' ? '?full=1' : ''}`
}

function renderPreviewNote(access: Access & { sees: 'preview' }, { slug }: PackVersion, now: Date): Html {
  switch (access.why) {
    case 'visitor':
      return html`<p class="note">
        This is the beginning, a fifth of the pack.
        <a href="${formatSignInPath(`/browse/${slug}`)}">Sign in</a> with a Pro account to see all of it.
      </p>`
    case 'free':
      return html`<p class="note">
        This is the beginning, a fifth of the pack: your account is Free, and Pro accounts see all of it.
      </p>`
    case 'spent': {
      const { reason, hint } = explainSpent(access.state, now)
      return html`<p class="note">This is the beginning. ${reason}. ${hint}</p>`
    }
  }
}

function renderDownloads(view: PackView): Html {
  const { version, access, rendering } = view
  const isFull = access.sees === 'full'
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
          ? html`The pack with its header, and the source it restores byte for byte.`
          : html`The pack itself, <code>.pack.json</code>, is for Pro accounts.`
      }
      ${access.why === 'pro' && html`Opening this page counts as a request, and so does each download; ${formatNumber(access.state.remaining)} are left today.`}
    </p>
  </section>`
}

function renderHeader({ rosetta, rosetta_tokens, compression }: Pack, access: Access): Html {
  if (compression === 'none') {
    return html`<section class="card" aria-labelledby="header">
      <h2 id="header">Decoder header</h2>
      <p class="quiet">This pack is its source as it is: there is nothing to decode.</p>
    </section>`
  }
  const tokens = formatCount(rosetta_tokens, 'token')
  if (access.sees === 'preview') {
    return html`<section class="card" aria-labelledby="header">
      <h2 id="header">Decoder header</h2>
      <p class="quiet">${tokens}, in the full pack.</p>
    </section>`
  }
  const isCut = rosetta.length > MOST_HEADER
  const shown = showHidden(isCut ? rosetta.slice(0, MOST_HEADER) : rosetta)
  return html`<section class="card" aria-labelledby="header">
    <h2 id="header">Decoder header</h2>
    <p class="quiet">${tokens}. Put it into the system prompt, before the content.</p>
    <pre class="header-text" tabindex="0" ${!isCut && 'data-copy'}>${shown}</pre>
    ${isCut && html`<p class="quiet">This is its beginning; the download has all of it.</p>`}
  </section>`
}

function renderVersions({ versions, version }: PackView): Html {
  return html`<section class="card" aria-labelledby="versions">
    <h2 id="versions">Versions</h2>
    <ol class="versions">
      ${versions.slice(0, MOST_VERSIONS).map(
        (line) =>
          html`<li>
            <b>${line.version}</b>
            <time class="quiet" datetime="${line.published_at}">${formatDay(line.published_at)}</time>
            <span class="quiet">${formatCount(line.token_count, 'token')}</span>
            ${line.yanked && html`<span class="yanked">withdrawn: ${showHidden(line.yanked_reason ?? '')}</span>`}
          </li>`,
      )}
    </ol>
    ${versions.length > MOST_VERSIONS && html`<p class="quiet">The newest ${MOST_VERSIONS} of ${formatNumber(versions.length)}.</p>`}
    <details>
      <summary>Checksum of the source</summary>
      <p><code class="digest">${version.sha256}</code> <span class="quiet">SHA-256</span></p>
    </details>
  </section>`
}
