import { createHash } from 'node:crypto'
import type { Mode } from '@packs/catalog'
import { type ApiErrorCode, problemCodes, problemTable } from '../errors/problem-table.ts'
import type { ApiPorts, ApiSite } from '../ports.ts'
import type { ApiRoute } from '../routes/api-route.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { JSON_TYPE, chooseEncoding } from '../http/headers.ts'
import { createBody, type Body } from '../response-cache/body.ts'
import { createOpenApi } from './openapi.ts'
import { z } from 'zod'
import { routeExamples } from './examples.ts'

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

type PageLayout = Pick<ApiSite, 'headers' | 'hasSession' | 'write'>

/** For documentation without a website. Its pages load nothing and run no scripts. */
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

/** Writes the body of `/docs`: what packs are, a quick start, and all paths with examples. */
function writeReference(routes: readonly ApiRoute[], origin: string | null): string {
  const base = escapeHtml(origin ?? '$BASE_URL')
  return `<div class="docs">
<div class="docs-lead">
<h1>Documentation</h1>
<p>How packs work, and the API that reads them over HTTP, at <code class="address">${base}/api/v1</code>. For programs:
<a href="/openapi.json">openapi.json</a> (OpenAPI 3.1, with examples).</p>
</div>
${writeContents(routes)}
<div class="docs-text">
${CONCEPTS}
${writeQuickStart(base)}
${TIERS}
${routes.map((route) => writeRoute(route, base)).join('\n')}
${writeOpenPaths(base)}
${writeErrors()}
</div>
</div>`
}

const CONCEPTS = `<section id="packs">
<h2>How packs work</h2>
<p>A <b>pack</b> is a markdown document that is shortened for language models. Short <b>terms</b> replace phrases that repeat, and the
<b>header</b>, a line before the text, lists what each term stands for. A model reads both and needs no other program:</p>
<pre class="docs-pack" tabindex="0">[DECODE] CA=certificate authority|…\n\nThe CA signs the request. The client trusts the CA, so …</pre>
<p>To <b>decode</b> a pack is to put each phrase back in the place of its term. That restores the source byte for byte, which is
checked when a pack is built. A <b>scheme</b> decides what of the text is kept and which phrases get terms:</p>
<table>
<tr><th scope="col">Scheme</th><th scope="col">What it does</th></tr>
<tr><td><code>none</code></td><td>Leaves the source unchanged.</td></tr>
<tr><td><code>minify-1</code></td><td>Plain text without what no reader sees. It needs no header, except for terms that the author wrote.</td></tr>
<tr><td><code>dense-2</code></td><td>Replaces phrases within a line by single letters, mostly of other scripts. For large models.</td></tr>
<tr><td><code>max-2</code></td><td>Replaces all that repeats by single letters, also tables and blank lines. It saves most.</td></tr>
</table>
<p>A <b>tokenizer</b> splits text into tokens, which models count and charge for. A pack is built and counted for one of them,
<code>o200k_base</code> (GPT-4o and later) or <code>cl100k_base</code> (GPT-4). Other models count a little differently.</p>
<p>A <b>cost</b> is all that a prompt takes: the instruction (it tells a model to read terms as their phrases), the header and the text. Where
a header would not save enough, the prompt has the source. <a href="/try#example">See an example</a>.</p>
</section>`

function writeQuickStart(base: string): string {
  const whole = '/api/v1/context?pack=tls-certificates&amp;pack=http-status-codes'
  return `<section id="start">
<h2>Quick start</h2>
<ol class="docs-steps">
<li><h3>Get a key</h3>
<p>Create it in <a href="/settings">your settings</a>, and send it with every request in the header <code>x-api-key</code>.</p>
${writeSamples('start', [['shell', 'export PACK_KEY=kp_…']])}</li>
<li><h3>Ask for what you need</h3>
<p>The passages that answer a question come as one text within a budget of tokens.</p>
${writeSamples('ask', [['curl', `curl -H "x-api-key: $PACK_KEY" -H "accept: text/markdown" \\\n  "${base}/api/v1/context?q=renew+a+certificate&amp;budget=2000"`]])}</li>
<li><h3>Get whole packs</h3>
<p>Named packs come as one text, each in tags, ready for a prompt: <a href="/prompt">choose them here</a>,
or see <a href="/try">what your own text saves</a>.</p>
${writeSamples('use', [['curl', `curl -H "x-api-key: $PACK_KEY" -H "accept: text/markdown" \\\n  "${base}${whole}"`]])}</li>
</ol>
<p>In a program, with the package <code>@packs/client</code>, and for hosts of the Model Context Protocol, such as Claude Code and editors:</p>
${writeSamples('programs', [
  [
    '@packs/client',
    `import { openDocs } from '@packs/client'\n\nconst docs = await openDocs({\n  url: '${base}',\n  key: process.env.PACK_KEY,\n})\nconst { text } = await docs.context('renew a certificate', { budget: 2000 })`,
  ],
  ['MCP', `${base}/mcp\nAuthorization: Bearer $PACK_KEY`],
])}
</section>`
}

const TIERS = `<section id="tiers">
<h2>Tiers</h2>
<table>
<tr><td></td><th scope="col">Free</th><th scope="col">Pro</th></tr>
<tr><th scope="row">Requests per UTC day, shared by all keys of an account</th><td>10</td><td>1,000</td></tr>
<tr><th scope="row">One pack</th><td>the first fifth of the content, at least its first sentence</td><td>the whole pack, with its header</td></tr>
<tr><th scope="row">Bulk download</th><td>no</td><td>up to 100 packs per request</td></tr>
<tr><th scope="row">Context for a question, each 4,000 tokens charged as a request</th><td>from previews</td><td>from all text</td></tr>
<tr><th scope="row">Up to 20 packs as one text, each charged as a request</th><td>their previews</td><td>whole</td></tr>
</table>
<p>Every response has the remaining quota in <code>RateLimit</code>. Responses with status 200 and 404 are charged; 304, other errors
and <code>/api/v1/usage</code> are not. The operator of this catalog makes accounts Pro.</p>
</section>`

function writeContents(routes: readonly ApiRoute[]): string {
  const select = (pattern: RegExp): Readonly<Record<string, string>> => {
    const found = routes.filter(({ path }) => pattern.test(path))
    return Object.fromEntries(found.map(({ path, summary }) => [createSectionId(path), summary]))
  }
  const groups = {
    Start: { packs: 'How packs work', start: 'Quick start', tiers: 'Tiers' },
    Find: select(/^\/(?:packs|search|context)$/),
    Get: select(/^\/packs\//),
    More: { ...select(/^\/(?!packs|search|context)/), open: 'Without a key', errors: 'Errors' },
  }
  const list = (links: Readonly<Record<string, string>>): string =>
    Object.entries(links)
      .map(([id, name]) => `<li><a href="#${id}">${escapeHtml(name)}</a></li>`)
      .join('\n')
  return `<nav class="contents" aria-label="On this page">
<details>
<summary>On this page</summary>
<ul>
${Object.entries(groups)
  .map(([name, links]) => `<li><span>${name}</span><ul>${list(links)}</ul></li>`)
  .join('\n')}
</ul>
</details>
</nav>`
}

function createSectionId(path: string): string {
  return `get${path.replace(/\W+/g, '-')}`
}

function writeRoute(route: ApiRoute, base: string): string {
  const { path, operationId, summary, description, query, parameters = {}, bodies } = route
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
  const id = createSectionId(path)
  const shown = escapeHtml(path.replace(/:(\w+)/g, '{$1}'))
  return `<section id="${id}">
<h2>${escapeHtml(summary)}</h2>
<p class="docs-path"><code><b>GET</b> /api/v1${shown.replaceAll('/', '/<wbr>')}</code></p>
<p>${escapeWithCode(description)}</p>
${table}
${writeExample(id, operationId, base)}
<p class="quiet">Returns ${types.join(' or ')}.</p>
</section>`
}

function writeExample(id: string, operation: string, base: string): string {
  const example = routeExamples[operation]
  if (example === undefined) return ''
  const { call, client, tool, answer } = example
  const calls = [
    ['curl', `curl -H "x-api-key: $PACK_KEY" \\\n  "${base}/api/v1${escapeHtml(call)}"`],
    ['@packs/client', escapeHtml(client)],
    ...(tool === undefined ? [] : [['MCP', escapeHtml(tool)] as const]),
  ] as const
  return writeSamples(id, calls, { answer, label: `Example answer of ${call}` })
}

/** @param samples names, and code that is escaped */
function writeSamples(
  id: string,
  samples: readonly (readonly [name: string, code: string])[],
  example?: { readonly answer: object; readonly label: string },
): string {
  const rows = samples.map(([name, code], at) => {
    const target = `~${id}-${at}`
    return `<div class="sample"><span>${name}</span>
<pre id="${target}" tabindex="0">${code}</pre>
<button type="button" class="copy" hidden data-copy-target="${target}">Copy</button></div>`
  })
  if (example !== undefined)
    rows.push(`<div class="sample"><span>Answer</span>\n${writeAnswer(example.answer, example.label)}</div>`)
  return `<div class="samples">
${rows.join('\n')}
</div>`
}

function writeAnswer(answer: object, label: string): string {
  return `<pre class="answer" tabindex="0" role="region" aria-label="${escapeHtml(label)}">${escapeHtml(JSON.stringify(answer, null, 2))}</pre>`
}

function renderProblem(code: ApiErrorCode): string {
  const { status, title } = problemTable[code]
  const problem = {
    type: `/docs/errors/${code}`,
    title,
    status,
    detail: '…',
    instance: '/api/v1/…',
    code,
    request_id: '4a51b7dd-7eab-453e-8a9d-cb003a897436',
  }
  return writeAnswer(problem, `Example of ${code}`)
}

function writeOpenPaths(base: string): string {
  return `<section id="open">
<h2>Without a key</h2>
<p>These need no key and are available in recovery mode: <a href="/api/status"><code>/api/status</code></a>, the operating mode, and
<a href="/.well-known/packs-keys.json"><code>/.well-known/<wbr>packs-keys.json</code></a>, the public keys that sign packs.</p>
${writeSamples('open', [['curl', `curl "${base}/api/status"`]])}
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

function writeErrors(): string {
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
${renderProblem('quota_exceeded')}
</section>`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

function escapeWithCode(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}
