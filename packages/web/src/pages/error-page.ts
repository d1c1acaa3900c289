import { CatalogError, describeThrown, listSimilarPacks, type PackSummary } from '@packs/catalog'
import type { FastifyReply } from 'fastify'
import { html, type Html } from '@packs/theme'
import { escapeBidi } from '../html/display-text.ts'
import { SESSION_COOKIE } from '../accounts/create-sign-in.ts'
import type { WebPorts } from '../ports.ts'
import { WebError, type ErrorLink } from '../web-error.ts'
import { renderSearchField } from './page.ts'
import { MARKDOWN_TYPE, prefersMarkdown, type PageSender } from './serve-page.ts'

/** As markdown to clients that prefer it. Failures are logged, not detailed. */
export async function sendErrorPage(
  error: unknown,
  reply: FastifyReply,
  { log, mode, catalog }: Pick<WebPorts, 'log' | 'mode' | 'catalog'>,
  pages: PageSender,
): Promise<FastifyReply> {
  const { request } = reply
  const webError = toWebError(error)
  const { code, status, message, retryAfter, search } = webError
  Object.assign(request, { problem: code })
  // A lack of places is not a failure, and one client can cause thousands.
  const isFailure = code === 'internal' || code === 'service_unavailable' || code === 'damaged_pack'
  if (isFailure && !isBusy(error)) {
    const fields = { request_id: request.id, method: request.method, route: request.routeOptions.url, code }
    log.error({ ...describeThrown(error), ...fields }, 'a page failed')
  }
  if (retryAfter !== null) reply.header('retry-after', retryAfter)
  for (const name of ['content-disposition', 'etag', 'x-markdown-tokens']) reply.removeHeader(name)
  reply.code(status)
  reply.headers({ 'cache-control': 'no-store', vary: 'Cookie, Accept' })
  if (prefersMarkdown(request.headers.accept))
    return reply.type(MARKDOWN_TYPE).send(writeMarkdownError(webError))
  // The session is not looked up, because that may be what failed.
  const signInPath = request.headers.cookie?.includes(SESSION_COOKIE) ? undefined : '/settings'
  const viewer = { mode: mode.current(), account: undefined, signInPath }
  const words = search?.replaceAll(' ', '-') ?? ''
  const slugs = words === '' ? [] : await listSimilarPacks(catalog.packs, words).catch(() => [])
  const found = await Promise.all(slugs.map((slug) => catalog.packs.find(slug).catch(() => undefined)))
  const near = found.filter((pack) => pack !== undefined)
  const hasOwnSearch = search !== undefined && near.length === 0
  const main = renderError(webError, near)
  return pages.send(reply, { title: message, viewer, main, search: hasOwnSearch ? false : search })
}

function isBusy(error: unknown): error is CatalogError {
  const codes = /^(?:catalog_busy|search_busy|too_many_at_once)$/
  return error instanceof CatalogError && codes.test(error.code)
}

function toWebError(error: unknown): WebError {
  if (error instanceof WebError) return error
  if (error instanceof CatalogError && error.code === 'catalog_unavailable') {
    const hint = 'Try again in a minute.'
    return new WebError('service_unavailable', 'The catalog cannot be reached', hint, { retryAfter: 30 })
  }
  if (isBusy(error)) {
    const { code, message, hint } = error
    const isOwn = code === 'too_many_at_once'
    return new WebError(isOwn ? code : 'service_unavailable', message, hint, { retryAfter: 5 })
  }
  if (error instanceof CatalogError && error.code === 'catalog_damaged') {
    const hint = 'Other packs are not affected. The operator can restore it from a backup.'
    return new WebError('damaged_pack', 'This pack is damaged', hint)
  }
  // Fastify rejected the request, for example because the body is too large or not a form.
  if (isRequestError(error)) {
    const hint = 'Go back to the page and send the form again.'
    return new WebError('invalid_form', 'The request cannot be read', hint)
  }
  const hint = 'Try again. If it keeps failing, tell the operator when it happened.'
  return new WebError('internal', 'Something went wrong on our side', hint)
}

/** Fastify's own errors about a request have a status below 500. */
function isRequestError(error: unknown): boolean {
  const { code, statusCode } = (error ?? {}) as { readonly code?: unknown; readonly statusCode?: unknown }
  return String(code).startsWith('FST_') && Number(statusCode) < 500
}

/** After too many pages, only the documentation is not refused again. */
function listLinks({ links, code }: WebError): readonly ErrorLink[] {
  const browse =
    links.length > 0 || code === 'too_many_pages' ? [] : [{ path: '/browse', name: 'Browse packs' }]
  return [...links, ...browse, { path: '/docs', name: 'Documentation' }]
}

function writeMarkdownError(error: WebError): string {
  const { status, message, hint, code } = error
  const list = listLinks(error).map(({ path, name }) => `- [${name}](${path})`)
  return `# ${message}\n\n${hint}\n\n${list.join('\n')}\n\nStatus ${status}, code \`${code}\`\n`
}

function renderError(error: WebError, near: readonly PackSummary[]): Html {
  const { status, message, hint, code, search } = error
  const field = near.length > 0 ? '' : (search ?? '')
  const links = listLinks(error).slice(field === '' ? 0 : 1)
  return html`<div class="lead" data-code="${code}">
      <p class="crumbs">${status}</p>
      <h1>${message}</h1>
      <p>${hint}</p>
    </div>
    ${field !== '' && renderSearchField(field)}
    ${near.length > 0 && html`<p>Did you mean ${near.map(({ slug, title }, at) => html`${at > 0 && ' or '}<a href="/browse/${slug}"><bdi>${escapeBidi(title)}</bdi></a>`)}?</p>`}
    <p class="actions">
      ${links.map(({ path, name }, at) => html`<a class="button ${at === 0 && 'primary'}" href="${path}">${name}</a>`)}
    </p>`
}
