import { hash } from 'node:crypto'
import type { CatalogSample, Mode } from '@packs/catalog'
import { type ApiErrorCode, problemCodes, problemTable } from '../errors/problem-table.ts'
import type { ApiPorts, ApiSite } from '../ports.ts'
import type { ApiRoute } from '../routes/api-route.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { JSON_TYPE, chooseEncoding } from '../http/headers.ts'
import { createBody, formatEtag, type Body } from '../response-cache/body.ts'
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
  const forFiveMinutes: Caching = () => 'public, max-age=300'
  const write = (): string => `${JSON.stringify(createOpenApi(routes, origin), null, 2)}\n`
  let openApi: Body | undefined
  mount('/openapi.json', forFiveMinutes, () => (openApi ??= createTextBody(write(), JSON_TYPE)))
  mountPage('/docs', 'Documentation', (sample) => writeReference(routes, origin, sample))
  for (const code of problemCodes) {
    const text = writeError(code)
    mountPage(`/docs/errors/${code}`, `${code}: ${problemTable[code].title}`, () => text)
  }

  /** A page is written once for each mode and sample, with a session and without. */
  function mountPage(url: string, title: string, write: (sample: CatalogSample | undefined) => string): void {
    const written = new Map<boolean, { readonly since: string; readonly body: Body }>()
    // What all visitors get alike, a shared cache may send for a minute.
    const shared = 'public, max-age=0, s-maxage=60'
    const caching: Caching = (request) => (layout.hasSession(request) ? 'private, no-cache' : shared)
    mount(url, caching, async (request) => {
      const current = mode.current()
      const sample = await layout.readSample?.()
      const isVisitor = !layout.hasSession(request)
      const since = JSON.stringify([current, sample])
      const known = written.get(isVisitor)
      if (known?.since === since) return known.body
      const body = createTextBody(await layout.write(title, write(sample), current, isVisitor), HTML_TYPE)
      written.set(isVisitor, { since, body })
      return body
    })
  }

  function mount(url: string, caching: Caching, read: ReadBody): void {
    const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const body = await read(request)
      const { bytes, encoding } = await body.encode(chooseEncoding(request.headers['accept-encoding']))
      const vary = body.type === HTML_TYPE ? 'Cookie, Accept-Encoding' : 'Accept-Encoding'
      if (body.type === HTML_TYPE) reply.headers(layout.headers)
      const etag = formatEtag(body, request.headers['accept-encoding'])
      reply.headers({ etag, 'cache-control': caching(request), 'content-type': body.type, vary })
      if (encoding !== 'identity') reply.header('content-encoding', encoding)
      return reply.send(bytes)
    }
    app.route({ method: ['GET', 'HEAD'], url, handler })
  }
}

type Caching = (request: FastifyRequest) => string
type ReadBody = (request: FastifyRequest) => Body | Promise<Body>
const HTML_TYPE = 'text/html; charset=utf-8'

function createTextBody(text: string, type: string): Body {
  return createBody({ text, type, tag: hash('sha256', text, 'base64url').slice(0, 22), weak: false })
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

type PageLayout = Pick<ApiSite, 'headers' | 'hasSession' | 'write' | 'readSample'>

/** For documentation without a website. Its pages load nothing, and have no scripts or styles. */
export function createStandaloneLayout(): PageLayout {
  return {
    headers: {
      'content-security-policy':
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
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
</head>
<body>
<main>
${mode === 'recovery' ? '<p><strong>Recovery mode.</strong> The API is paused.</p>\n' : ''}${body}
</main>
</body>
</html>
`
}

/** Writes the body of `/docs`: a quick start, what packs are, and all paths with examples. */
function writeReference(
  routes: readonly ApiRoute[],
  origin: string | null,
  sample: CatalogSample | undefined,
): string {
  const base = escapeHtml(origin ?? '$BASE_URL')
  return `<div class="docs">
<div class="docs-lead">
<h1>Documentation</h1>
<p>A <b>pack</b> is a markdown document that is shortened for language models, with what restores its source byte for byte. That is
checked when a pack is built. The API reads packs over HTTP, at <code class="address">${base}/api/v1</code>. For programs:
<a href="/openapi.json">openapi.json</a> (OpenAPI 3.1, with examples).</p>
</div>
${writeContents(routes)}
<div class="docs-text">
${writeQuickStart(base, sample)}
${CONCEPTS}
${TIERS}
${routes.map((route) => writeRoute(route, base, sample)).join('\n')}
${writeOpenPaths(base)}
${writeErrors()}
</div>
</div>`
}

const CONCEPTS = `<section id="packs">
<h2>How packs work</h2>
<p>A <b>scheme</b> decides how a pack is shortened:</p>
<table>
<tr><th scope="col">Scheme</th><th scope="col">What a model reads</th></tr>
<tr><td>Source <code>none</code></td><td>The text as it was written.</td></tr>
<tr><td>Lean <code>minify-1</code></td><td>The text without comments, padding and other invisible markup. Long addresses become numbers. Any model reads it.</td></tr>
<tr><td>Dense <code>dense-2</code></td><td>Lean, with single letters for phrases that repeat within a line. For large models.</td></tr>
<tr><td>Max <code>max-2</code></td><td>Lean, with single letters for anything that repeats. It saves most; not readable by people.</td></tr>
</table>
<p>The letters of Dense and Max are <b>terms</b>. The <b>header</b>, a line before the text, says what each one stands for:</p>
<pre class="docs-pack" tabindex="0">[DECODE] Ж=certificate authority|…\n\nThe Ж signs the request. The client trusts the Ж, so …</pre>
<p>The <b>cost</b> of a pack is the tokens of its header and text. A prompt with terms also has an instruction, whose tokens are
counted apart. Tokens are those of <code>o200k_base</code> (GPT-4o and later); other models count a little differently.
<a href="/try#example">See an example</a>.</p>
</section>`

const CALL = 'curl -H "x-api-key: $PACK_KEY"'

function writeQuickStart(base: string, sample: CatalogSample | undefined): string {
  const all = sample?.slugs.map((slug) => `pack=${slug}`).join('&amp;')
  return `<section id="start">
<h2>Quick start</h2>
<ol class="docs-steps">
<li><h3>Get a key</h3>
<p>Create a free one in <a href="/settings/sign-up">your settings</a>, and set it. Each request sends it as <code class="whole">x-api-key: KEY</code> or <code class="whole">Authorization: Bearer KEY</code>.</p>
${writeSample('export PACK_KEY=kp_…')}</li>
<li><h3>Ask for what you need</h3>
<p>${all ? 'The passages that answer a question come as one text within a budget of tokens.' : 'This catalog has no packs yet. Its operator adds them with <code>pack publish</code>.'}</p>
${writeSample(escapeHtml(sample?.ask ?? `${CALL} \\\n"${base}/api/v1/packs"`))}</li>
${
  !all
    ? ''
    : `<li><h3>Get packs by name</h3>
<p>They come as one text, each in tags, ready for a prompt: with a Free key their previews, with a Pro key all of them.
You can also <a href="/prompt">choose them here</a>.</p>
${writeSample(`${CALL} \\\n  -H "accept: text/markdown" \\\n"${base}/api/v1/context?${all}"`)}</li>`
}
${
  sample === undefined
    ? ''
    : `<li><h3>Ask in a program</h3>
<p><code>@packs/client</code> is not on npm yet: run this in a clone of Packs.</p>
${writeSample(escapeHtml(sample.code))}</li>`
}
<li><h3>Let an agent ask</h3>
<p>Hosts of the Model Context Protocol connect to <code>${base}/mcp</code>. In Claude Code:</p>
${writeSample(`claude mcp add --transport http packs ${base}/mcp \\\n  --header "Authorization: Bearer $PACK_KEY"`)}</li>
</ol>
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
<p>Every response has the remaining quota in <code>RateLimit</code>. Responses with status 200, 404 and 410 are charged; 304, other errors
and <code>/api/v1/usage</code> are not. The operator of this catalog makes accounts Pro.</p>
</section>`

function writeContents(routes: readonly ApiRoute[]): string {
  const select = (pattern: RegExp): Readonly<Record<string, string>> => {
    const found = routes.filter(({ path }) => pattern.test(path))
    return Object.fromEntries(found.map(({ path, summary }) => [createSectionId(path), summary]))
  }
  const groups = {
    Start: { start: 'Quick start', packs: 'How packs work', tiers: 'Tiers' },
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

function writeRoute(route: ApiRoute, base: string, sample: CatalogSample | undefined): string {
  const { path, summary, description, query, parameters = {}, bodies } = route
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
${writeExample(route, base, sample)}
<p class="quiet">Returns ${types.join(' or ')}.</p>
</section>`
}

function writeExample(
  { operationId: operation, parameters = {} }: ApiRoute,
  base: string,
  sample: CatalogSample | undefined,
): string {
  const example = routeExamples[operation]
  if (example === undefined) return ''
  const isPro = operation === 'downloadPacks' || (operation.endsWith('Section') && sample?.isOpen === false)
  const hasCall = sample !== undefined && (sample.slugs.length > 0 || !parameters.id)
  const line = (path: string): string => writeSample(`${CALL} \\\n"${base}/api/v1${escapeHtml(path)}"`)
  // That of a version is like that of the latest one, which is before it.
  const isLike = /Version(?:Sections|Section)?$/.test(operation)
  return `${isPro ? '<p>This call needs a <b>Pro</b> key.</p>' : ''}
${hasCall ? line(example.call(sample)) : ''}
${isLike ? '' : writeAnswer(example.answer)}`
}

/** @param code escaped */
function writeSample(code: string): string {
  return `<pre class="code" tabindex="0" data-copy>${code}</pre>`
}

function writeAnswer(answer: object): string {
  return `<details><summary>Example answer</summary>
<pre class="answer" tabindex="0">${escapeHtml(JSON.stringify(answer, null, 2))}</pre></details>`
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
  return `<pre class="answer" tabindex="0">${escapeHtml(JSON.stringify(problem, null, 2))}</pre>`
}

function writeOpenPaths(base: string): string {
  return `<section id="open">
<h2>Without a key</h2>
<p>These need no key and are available in recovery mode: <a href="/api/status"><code>/api/status</code></a>, the operating mode,
<a href="/api/purged"><code>/api/purged</code></a>, versions that were erased, of which clients delete their copies, and
<a href="/.well-known/packs-keys.json"><code>/.well-known/<wbr>packs-keys.json</code></a>, the public keys that sign packs.</p>
${writeSample(`curl "${base}/api/status"`)}
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
