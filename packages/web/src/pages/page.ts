import type { Account, Mode } from '@packs/catalog'
import { escapeBidi } from '../html/display-text.ts'
import { html, type Html } from '@packs/codec/theme'

export interface AssetPaths {
  readonly stylesheet: string
  readonly script: string
  readonly icon: string
}

export interface Viewer {
  readonly mode: Mode
  readonly account: Account | undefined
  /**
   * Link to a sign-in that leads back to the page. Undefined if the viewer is signed in, or if the
   * session was not looked up.
   */
  readonly signInPath?: string | undefined
}

export interface Page {
  /** Title of the browser window, without the name of the site. */
  readonly title: string
  /** Description of the page for search engines and link previews. */
  readonly description?: string | undefined
  /** Omitted for a page that is cached and is the same for every visitor in every mode. */
  readonly viewer?: Viewer | undefined
  readonly main: Html
  /** The navigation entry that is marked as current. */
  readonly section?: 'browse' | 'docs' | 'settings' | undefined
}

export function renderPage({ title, description, viewer, main, section }: Page, assets: AssetPaths): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${escapeBidi(title)} · Packs</title>
        ${description !== undefined && html`<meta name="description" content="${escapeBidi(description)}" />`}
        <link rel="icon" type="image/svg+xml" href="${assets.icon}" />
        <link rel="stylesheet" href="${assets.stylesheet}" />
        <script src="${assets.script}" type="module"></script>
      </head>
      <body>
        <a class="skip" href="#~main">Skip to content</a>
        ${renderHeader(viewer, section)} ${viewer?.mode.mode === 'recovery' && renderRecovery(viewer.mode)}
        <main id="~main" tabindex="-1">${main}</main>
        <footer class="foot">
          <p>
            Exact and honestly counted: a pack restores its source byte for byte, and every number includes
            the header.
          </p>
        </footer>
      </body>
    </html> `
  return page.toString()
}

function renderHeader(viewer: Page['viewer'], section: Page['section']): Html {
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
    <nav aria-label="Site">
      <ul>
        ${link('/browse', 'Browse', section === 'browse')} ${link('/docs', 'Docs', section === 'docs')}
        ${link(signInPath ?? '/settings', signInPath === undefined ? 'Settings' : 'Sign in', section === 'settings')}
      </ul>
    </nav>
  </header>`
}

function renderRecovery({ message }: Mode): Html {
  return html`<aside class="banner" aria-label="Service status">
    <p>
      <strong>Recovery mode.</strong> The API is paused, and keys can be neither created nor used. The whole
      preserved catalog is here: <a href="/browse">browse and download</a> it without an
      account.${message !== null && html` ${message}`}
    </p>
  </aside>`
}
