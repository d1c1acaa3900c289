import type { Account, Mode } from '@packs/catalog'
import { escapeBidi } from '../html/display-text.ts'
import { html, type Html } from '@packs/theme'

/** A script that some pages load besides the one of all pages. */
type PageScript = 'terms' | 'try'

export interface AssetPaths {
  readonly stylesheet: string
  readonly script: string
  readonly icon: string
  readonly scripts: Readonly<Record<PageScript, string>>
}

export interface SiteFacts {
  readonly baseUrl: string
  /** Address or URL of the operator, for people who want Pro; undefined if none is given. */
  readonly contact: string | undefined
  readonly program: string
}

export interface Viewer {
  readonly mode: Mode
  readonly account: Account | undefined
  /** To a sign-in that leads back to the page; undefined where there is or may be a session. */
  readonly signInPath?: string | undefined
}

export interface Page {
  /** Title of the browser window, without the name of the site. */
  readonly title: string
  readonly description?: string | undefined
  /** Omitted for a page that is cached and is the same for every visitor in every mode. */
  readonly viewer?: Viewer | undefined
  readonly main: Html
  /** The navigation entry that is marked as current. */
  readonly section?: 'browse' | 'prompt' | 'try' | 'docs' | 'settings' | undefined
  /** Path of the page that search engines should list instead of this URL. */
  readonly canonical?: string | undefined
  /** Words in the search of the header; `false` for a page that has the search in its text. */
  readonly search?: string | false | undefined
  readonly isUnlisted?: boolean | undefined
  /** Lets the scripts of the page fetch from this site. */
  readonly connects?: boolean | undefined
  readonly script?: PageScript | undefined
  /** Whether it has a bar that copies, `~dock`, which a second skip link leads to. */
  readonly canCopy?: boolean | undefined
  /** Classes of the main element. */
  readonly layout?: string | undefined
}

/** Of pages that have no own. */
const DESCRIPTION =
  'Markdown for language models in fewer tokens: each pack restores its source byte for byte, and states what it costs.'

export function renderPage(page: Page, assets: AssetPaths, site: SiteFacts): string {
  const { title, description = DESCRIPTION, viewer, main, canonical, isUnlisted, script, layout } = page
  const markup = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${escapeBidi(title)} · Packs</title>
        <meta name="description" content="${escapeBidi(description)}" />
        ${isUnlisted && html`<meta name="robots" content="noindex" />`}
        ${canonical !== undefined && html`<link rel="canonical" href="${site.baseUrl}${canonical}" />`}
        <link rel="icon" type="image/svg+xml" href="${assets.icon}" />
        <link rel="alternate" type="application/atom+xml" title="New and changed packs" href="/feed.xml" />
        <link rel="stylesheet" href="${assets.stylesheet}" />
        <script src="${assets.script}" type="module"></script>
        ${script !== undefined && html`<script src="${assets.scripts[script]}" type="module"></script>`}
      </head>
      <body>
        <a class="skip" href="#~main">Skip to content</a>
        ${page.canCopy && html`<a class="skip" href="#~dock">Skip to Copy</a>`} ${renderHeader(page)}
        ${viewer?.mode.mode === 'recovery' && renderRecovery(viewer.mode)}
        <main id="~main" tabindex="-1" ${layout !== undefined && html`class="${layout}"`}>${main}</main>
        ${renderFooter(site)}
      </body>
    </html> `
  return markup.toString()
}

function renderHeader({ viewer, section, search = '' }: Page): Html {
  const signInPath = viewer?.signInPath
  const link = (path: string, name: string, isCurrent: boolean): Html =>
    html`<li><a href="${path}" ${isCurrent && html`aria-current="page"`}>${name}</a></li>`
  return html`<header class="top">
    <a class="brand" href="/"
      ><svg viewBox="0 0 20 20" aria-hidden="true">
        <rect class="bar-content" x="2" y="3" width="16" height="4" rx="1" />
        <rect class="bar-content" x="2" y="9" width="10" height="4" rx="1" />
        <rect class="bar-header" x="2" y="15" width="6" height="3" rx="1" /></svg
      >Packs</a
    >
    ${search !== false && renderSearchField(search)}
    <nav aria-label="Site">
      <ul>
        ${link('/browse', 'Browse', section === 'browse')}
        <li>
          <a
            href="/prompt"
            data-prompt="${viewer !== undefined && seesWholePacks(viewer) && 'whole'}"
            ${section === 'prompt' && html`aria-current="page"`}
            >Prompt<span class="chosen" hidden> <b></b><span class="unseen"> · </span><small></small></span
          ></a>
        </li>
        ${link('/try', 'Try', section === 'try')} ${link('/docs', 'Docs', section === 'docs')}
        ${link(signInPath ?? '/settings', signInPath === undefined ? 'Settings' : 'Sign in', section === 'settings')}
      </ul>
    </nav>
  </header>`
}

/** @param label what the field says while it is empty */
export function renderSearchField(words: string, label = 'Search packs'): Html {
  return html`<search class="top-search">
    <form action="/browse" method="get">
      <input
        type="search"
        name="search"
        aria-label="Search all packs"
        aria-keyshortcuts="/"
        placeholder="${label}"
        maxlength="400"
        value="${words}"
        autocomplete="off"
        enterkeyhint="search"
        data-focus-key="/"
      />
      <button aria-label="Search">
        <svg viewBox="0 0 20 20" aria-hidden="true">
          <circle cx="8.5" cy="8.5" r="5.5" />
          <path d="m13 13 5 5" />
        </svg>
      </button>
    </form>
  </search>`
}

function renderFooter({ contact, program }: SiteFacts): Html {
  return html`<footer class="foot">
    <p>Every pack restores its source byte for byte.</p>
    <ul>
      <li><a href="/docs">Documentation</a></li>
      <li><a href="/feed.xml">Feed</a></li>
      ${contact !== undefined && html`<li><a href="${formatContact(contact)}">Contact</a></li>`}
      <li><a href="/api/status">Status</a></li>
      <li>Packs ${program}</li>
    </ul>
  </footer>`
}

function formatContact(contact: string): string {
  return /^https?:/.test(contact) ? contact : `mailto:${contact}`
}

export function renderProHint(contact: string | undefined): Html {
  if (contact === undefined) return html`Ask the operator of this catalog for a Pro account.`
  return html`For a Pro account, <a href="${formatContact(contact)}">ask the operator</a>.`
}

/** Whether everybody sees whole packs. */
export function isOpenToAll({ mode, previews }: Mode): boolean {
  return mode === 'recovery' && previews !== true
}

/** Whether a viewer sees whole packs, and their digests, which confirm guesses at locked text. */
export function seesWholePacks({ mode, account }: Viewer): boolean {
  return isOpenToAll(mode) || account?.tier === 'pro'
}

function renderRecovery(mode: Mode): Html {
  return html`<aside class="banner" aria-label="Service status">
    <p>
      <strong>Recovery mode.</strong> The API is paused, and keys can be neither created nor used.
      ${isOpenToAll(mode) ? html`The whole preserved catalog is open to everybody: <a href="/browse">browse and download</a> it without an account.` : html`The catalog is here: <a href="/browse">browse</a> it.`}${mode.message !== null && html` ${mode.message}`}
    </p>
  </aside>`
}
