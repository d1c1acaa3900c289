import { createHash } from 'node:crypto'
import type { Mode } from '@packs/catalog'
import { type ApiErrorCode, problemCodes, problemTable } from '../errors/problem-table.ts'
import type { ApiPorts, ApiSite } from '../ports.ts'
import type { ApiRoute } from '../routes/api-route.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { JSON_TYPE, chooseEncoding } from '../http/headers.ts'
import { createBody, type Body } from '../response-cache/body.ts'
import { createOpenApi } from './openapi.ts'
import { escapeHtml, escapeWithCode, renderProblem, writeReference } from './reference.ts'

/** Where the documentation is, and what all its pages depend on. */
interface DocsOptions {
  readonly layout: PageLayout
  /** Origin of the server; null if it is unknown. */
  readonly origin: string | null
  readonly mode: Pick<ApiPorts['mode'], 'current'>
}

/** Mounts `/openapi.json`, `/docs` and a page for each error code; they need no key. */
export function mountDocs(app: FastifyInstance, routes: readonly ApiRoute[], options: DocsOptions): void {
  const { layout, origin, mode } = options
  const openApi = createTextBody(`${JSON.stringify(createOpenApi(routes, origin), null, 2)}\n`, JSON_TYPE)
  mount('/openapi.json', 'public, max-age=300', () => openApi)
  mountPage('/docs', 'Documentation', writeReference(routes, origin))
  for (const code of problemCodes)
    mountPage(`/docs/errors/${code}`, `${code}: ${problemTable[code].title}`, writeError(code))

  /** A page is written once for each mode, which it tells, with a session and without. */
  function mountPage(url: string, title: string, text: string): void {
    const written = new Map<boolean, { readonly since: string; readonly body: Body }>()
    mount(url, 'no-cache', async (request) => {
      const current = mode.current()
      const isVisitor = !layout.hasSession(request)
      const since = JSON.stringify(current)
      const known = written.get(isVisitor)
      if (known?.since === since) return known.body
      const body = createTextBody(await layout.write(title, text, current, isVisitor), HTML_TYPE)
      written.set(isVisitor, { since, body })
      return body
    })
  }

  function mount(url: string, caching: string, read: ReadBody): void {
    const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const body = await read(request)
      const { bytes, encoding } = await body.encode(chooseEncoding(request.headers['accept-encoding']))
      const vary = body.type === HTML_TYPE ? 'Cookie, Accept-Encoding' : 'Accept-Encoding'
      if (body.type === HTML_TYPE) reply.headers(layout.headers)
      reply.headers({ 'cache-control': caching, 'content-type': body.type, vary })
      if (encoding !== 'identity') reply.header('content-encoding', encoding)
      return reply.send(bytes)
    }
    app.route({ method: ['GET', 'HEAD'], url, handler })
  }
}

type ReadBody = (request: FastifyRequest) => Body | Promise<Body>
const HTML_TYPE = 'text/html; charset=utf-8'

function createTextBody(text: string, type: string): Body {
  return createBody({ text, type, tag: 'static', weak: false })
}

/** Writes the page that the `type` of a problem links to. */
function writeError(code: ApiErrorCode): string {
  const { status, title, meaning, remedy } = problemTable[code]
  return `<div class="docs-error">
<p class="crumbs"><a href="/docs">Documentation</a> › <a href="/docs#errors">Errors</a></p>
<h1><code>${code.replaceAll('_', '_<wbr>')}</code></h1>
<p class="docs-title">${escapeHtml(title)} <span class="chip">status ${status}</span></p>
<h2>What it means</h2>
<p>${escapeWithCode(meaning)}</p>
<h2>What to do</h2>
<p>${escapeWithCode(remedy)}</p>
<h2>What is sent</h2>
${renderProblem(code)}
<p><a href="/docs#errors">All codes</a></p>
</div>`
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 0 auto; padding: 1rem 1rem 4rem }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; overflow-wrap: anywhere }
pre { overflow-x: auto; padding: .75rem; border: 1px solid #8886 }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #8884 }
section { margin-top: 2.5rem }`

export type PageLayout = Pick<ApiSite, 'headers' | 'hasSession' | 'write'>

/**
 * Creates a layout for documentation without a website. Its pages load nothing and run no scripts.
 */
export function createStandaloneLayout(): PageLayout {
  const hash = createHash('sha256').update(STYLE).digest('base64')
  return {
    headers: {
      'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
    },
    hasSession: () => false,
    write: writePage,
  }
}

function writePage(title: string, body: string, { mode }: Pick<Mode, 'mode'>): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${mode === 'recovery' ? '<p><strong>Recovery mode.</strong> The API is paused.</p>\n' : ''}${body}
</main>
</body>
</html>
`
}
