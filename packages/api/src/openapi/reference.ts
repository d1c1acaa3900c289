import { z } from 'zod'
import { type ApiErrorCode, problemCodes, problemTable } from '../errors/problem-table.ts'
import type { ApiRoute } from '../routes/api-route.ts'
import { routeExamples } from './examples.ts'

/**
 * Writes the body of `/docs`: what packs are, a quick start, and all paths with examples.
 *
 * @param origin of the server; null if it is unknown
 */
export function writeReference(routes: readonly ApiRoute[], origin: string | null): string {
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
checked when a pack is built. A <b>scheme</b> decides which phrases get terms:</p>
<table>
<tr><th scope="col">Scheme</th><th scope="col">What it does</th></tr>
<tr><td><code>none</code></td><td>Leaves the source unchanged.</td></tr>
<tr><td><code>glossary-1</code></td><td>Replaces phrases of prose by acronyms. People can still read it. It saves least.</td></tr>
<tr><td><code>dense-1</code></td><td>Replaces phrases within a line by single letters, mostly of other scripts. For large models.</td></tr>
<tr><td><code>max-1</code></td><td>Replaces all that repeats by single letters, also tables and blank lines. It saves most.</td></tr>
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
<p>In a program, with <code>npm install @packs/client</code>, and for hosts of the Model Context Protocol, such as Claude Code and editors:</p>
${writeSamples('programs', [
  [
    '@packs/client',
    `import { createClient } from '@packs/client'\n\nconst client = createClient({\n  url: '${base}',\n  key: process.env.PACK_KEY,\n})\nconst { text, rosetta } = await client.prompt(['tls-certificates'])`,
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
  const { path, operationId, summary, description, query, parameters, bodies } = route
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

/**
 * @param samples names, and code that is escaped
 * @param example an answer, and how assistive technology names it
 */
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

/** Writes what is sent with an error. */
export function renderProblem(code: ApiErrorCode): string {
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

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Escapes text for HTML, and marks text in backticks as code. */
export function escapeWithCode(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}
