import type { WebError } from '../web-error.ts'
import { html, type Html } from './html.ts'

/** What went wrong, and what to do. */
export function renderError({ status, message, hint, code, signInPath }: WebError): Html {
  return html`<div class="lead">
      <p class="crumbs">${status}</p>
      <h1>${message}.</h1>
      <p>${hint}</p>
    </div>
    <p class="actions">
      ${signInPath !== null && html`<a class="button primary" href="${signInPath}">Sign in</a>`}
      <a class="button" href="/browse">Browse packs</a>
      <a class="button" href="/docs">Read the documentation</a>
    </p>
    <p class="quiet">Code <code>${code}</code></p>`
}
