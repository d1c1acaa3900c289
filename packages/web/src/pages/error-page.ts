import type { ErrorLink, WebError } from '../web-error.ts'
import { html, type Html } from '../html/html.ts'

const PLACES: readonly ErrorLink[] = [
  { path: '/browse', name: 'Browse packs' },
  { path: '/docs', name: 'Read the documentation' },
]

/** What went wrong, and what to do. */
export function renderError({ status, message, hint, code, links }: WebError): Html {
  return html`<div class="lead">
      <p class="crumbs">${status}</p>
      <h1>${message}.</h1>
      <p>${hint}</p>
    </div>
    <p class="actions">
      ${(links.length > 0 ? links : PLACES).map(
        ({ path, name }, at) => html`<a class="button ${at === 0 && 'primary'}" href="${path}">${name}</a>`,
      )}
    </p>
    <p class="quiet">Code <code>${code}</code></p>`
}
