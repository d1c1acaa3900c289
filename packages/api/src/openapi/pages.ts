import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type ApiErrorCode, problemCodes, problemTable } from '../errors/problem-table.ts'
import type { ApiSite } from '../ports.ts'
import type { ApiRoute } from '../routes/api-route.ts'
import type { FastifyInstance } from 'fastify'
import { JSON_TYPE, chooseEncoding } from '../http/headers.ts'
import { createBody, type Body } from '../response-cache/body.ts'
import { createOpenApi } from './openapi.ts'

const CACHE_CONTROL = 'public, max-age=300'

/** Mounts `/openapi.json`, `/docs` and a page for each error code; they need no key. */
export async function mountDocs(
  app: FastifyInstance,
  routes: readonly ApiRoute[],
  layout: PageLayout,
): Promise<void> {
  const openApi = `${JSON.stringify(createOpenApi(routes), null, 2)}\n`
  mountText(app, '/openapi.json', openApi, { 'cache-control': CACHE_CONTROL, 'content-type': JSON_TYPE })
  const headers = {
    ...layout.headers,
    'cache-control': CACHE_CONTROL,
    'content-type': 'text/html; charset=utf-8',
  }
  mountText(app, '/docs', await writeReferencePage(routes, layout), headers)
  for (const code of problemCodes) {
    mountText(app, `/docs/errors/${code}`, await writeErrorPage(code, layout), headers)
  }
}

function mountText(
  app: FastifyInstance,
  url: string,
  text: string,
  headers: Readonly<Record<string, string>>,
): void {
  const body: Body = createBody({ text, type: headers['content-type'] ?? '', tag: 'static', weak: false })
  app.route({
    method: ['GET', 'HEAD'],
    url,
    handler: async (request, reply) => {
      const { bytes, encoding } = await body.encode(chooseEncoding(request.headers['accept-encoding']))
      reply.headers({ ...headers, vary: 'Accept-Encoding' })
      if (encoding !== 'identity') reply.header('content-encoding', encoding)
      return reply.send(bytes)
    },
  })
}

export function writeReferencePage(
  routes: readonly ApiRoute[],
  layout: PageLayout,
): string | Promise<string> {
  return layout.write(
    'Catalog API',
    `<h1>Catalog API</h1>
<p>Read-only access to knowledge packs over HTTP. Send a key with every request below <code>/api/v1</code>:</p>
<pre tabindex="0">curl -H "x-api-key: $PACK_KEY" "$BASE_URL/api/v1/packs?search=tls"</pre>
<p>For programs: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).
These need no key: <a href="/api/status"><code>/api/status</code></a>, the operating mode, and
<a href="/.well-known/packs-keys.json"><code>/.well-known/packs-keys.json</code></a>, the public keys that sign packs.</p>
${listSections(routes)}
${TIERS}
${routes.map((route) => describeRoute(route)).join('\n')}
${listErrors()}`,
  )
}

const TIERS = `<section id="tiers">
<h2>Tiers</h2>
<table>
<tr><td></td><th scope="col">Free</th><th scope="col">Pro</th></tr>
<tr><th scope="row">Requests per UTC day, shared by all keys of an account</th><td>10</td><td>1,000</td></tr>
<tr><th scope="row">One pack</th><td>the first fifth of the content</td><td>the whole pack, with its header</td></tr>
<tr><th scope="row">Bulk download</th><td>no</td><td>up to 100 packs per request</td></tr>
<tr><th scope="row">Context for a question, each 4,000 tokens charged as a request</th><td>from previews</td><td>from all text</td></tr>
<tr><th scope="row">Prompts of several packs</th><td>no</td><td>up to 50 packs, each charged as a request</td></tr>
</table>
<p>Every response has the remaining quota in <code>RateLimit</code>. Responses with status 200, 404 and 422 are charged; 304, other errors
and <code>/api/v1/usage</code> are not. Ask the operator of this catalog to upgrade an account to Pro.</p>
</section>`

function listSections(routes: readonly ApiRoute[]): string {
  const links = [
    ['tiers', 'Tiers'],
    ...routes.map(({ path, summary }) => [createSectionId(path), escapeHtml(summary)]),
    ['errors', 'Errors'],
  ]
  return `<nav aria-label="On this page">
<ul>
${links.map(([id, name]) => `<li><a href="#${id}">${name}</a></li>`).join('\n')}
</ul>
</nav>`
}

function createSectionId(path: string): string {
  return `get${path.replace(/\W+/g, '-')}`
}

function describeRoute({ path, summary, description, query, parameters, bodies }: ApiRoute): string {
  const rows = [
    ...Object.entries(parameters).map(([name, text]) => [`{${name}}`, `${text}.`]),
    ...Object.entries(query).map(([name, schema]) => [name, describeParameter(schema)]),
  ]
  const table =
    rows.length === 0
      ? ''
      : `<table>
<tr><th scope="col">Parameter</th><th scope="col">Meaning</th></tr>
${rows.map(([name = '', text = '']) => `<tr><td><code>${escapeHtml(name)}</code></td><td>${escapeWithCode(text)}</td></tr>`).join('\n')}
</table>`
  const types = Object.keys(bodies).map((type) => `<code>${type}</code>`)
  return `<section id="${createSectionId(path)}">
<h2><code>GET /api/v1${escapeHtml(path.replace(/:(\w+)/g, '{$1}'))}</code></h2>
<p><strong>${escapeHtml(summary)}.</strong> ${escapeWithCode(description)}</p>
${table}
<p>Returns ${types.join(' or ')}.</p>
</section>`
}

function describeParameter(schema: z.ZodType): string {
  const json = z.toJSONSchema(schema, { io: 'output' })
  const bounds = json.type === 'integer' ? ` From ${json.minimum} to ${json.maximum}.` : ''
  const values =
    json.enum === undefined ? '' : ` One of ${json.enum.map((value) => `\`${value}\``).join(', ')}.`
  const fallback = json.default === undefined ? '' : ` Default ${JSON.stringify(json.default)}.`
  return `${json.description ?? ''}.${bounds}${values}${fallback}`
}

function listErrors(): string {
  const rows = problemCodes.map((code) => {
    const { status, title } = problemTable[code]
    return `<tr><td>${status}</td><td><a href="/docs/errors/${code}"><code>${code.replaceAll('_', '_<wbr>')}</code></a></td><td>${escapeHtml(title)}</td></tr>`
  })
  return `<section id="errors">
<h2>Errors</h2>
<p>Error responses are <code>application/problem+json</code> (RFC 9457). Programs should rely on <code>code</code>, which is stable.</p>
<table>
<tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Title</th></tr>
${rows.join('\n')}
</table>
</section>`
}

/** Writes the page that the `type` of a problem links to. */
export function writeErrorPage(code: ApiErrorCode, layout: PageLayout): string | Promise<string> {
  const { status, title, meaning, remedy } = problemTable[code]
  return layout.write(
    `${code}: ${title}`,
    `<h1><code>${code}</code></h1>
<p><strong>${escapeHtml(title)}</strong> (status ${status})</p>
<h2>What it means</h2>
<p>${escapeWithCode(meaning)}</p>
<h2>What to do</h2>
<p>${escapeWithCode(remedy)}</p>
<p><a href="/docs#errors">All codes</a></p>`,
  )
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Escapes text for HTML, and marks text in backticks as code. */
function escapeWithCode(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 0 auto; padding: 1rem 1rem 4rem }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; overflow-wrap: anywhere }
pre { overflow-x: auto; padding: .75rem; border: 1px solid #8886 }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #8884 }
section { margin-top: 2.5rem }`

export type PageLayout = Pick<ApiSite, 'headers' | 'write'>

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
    write: writePage,
  }
}

function writePage(title: string, body: string): string {
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
${body}
</main>
</body>
</html>
`
}
