import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { loadOnce } from '@packs/codec/internal'
import { html, type Html } from '@packs/theme'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { formatNumber } from '../../html/display-text.ts'
import { schemeWords } from '../../html/pack-figures.ts'
import {
  addAssetRoutes,
  addPage,
  createAsset,
  createScript,
  IMMUTABLE,
  MARKDOWN_TYPE,
} from '../serve-page.ts'
import type { PageSender } from '../serve-page.ts'

const PACKAGE = new URL('../../../', import.meta.url)

/**
 * Adds `/try`, which compresses in the browser, and what it loads: a worker and an example.
 * @param folder what `pnpm build` has written for browsers, if it ran
 */
export async function addTryRoutes(
  app: FastifyInstance,
  pages: PageSender,
  folder: string | URL = new URL('dist/', PACKAGE),
): Promise<void> {
  const worker = await readWorker(typeof folder === 'string' ? pathToFileURL(`${folder}/`) : folder)
  const text = await readFile(new URL('assets/try-example.txt', PACKAGE))
  const example = createAsset('try-example', 'md', MARKDOWN_TYPE, text)
  addAssetRoutes(app, [example])
  if (worker !== undefined) {
    addPage(app, worker.path, async (request, reply) => {
      const encoding = chooseEncoding(request)
      if (encoding !== 'identity') reply.header('content-encoding', encoding)
      reply.headers({ 'cache-control': IMMUTABLE, vary: 'Accept-Encoding' })
      return reply.type('text/javascript; charset=utf-8').send(await worker.encode(encoding))
    })
  }
  addPage(app, '/try', async (request, reply): Promise<FastifyReply> => {
    const viewer = await pages.findViewer(reply)
    const encoded = await worker?.encode(chooseEncoding(request))
    const main = renderTry(worker && encoded && { path: worker.path, size: encoded.length }, example.path)
    const description =
      'Paste markdown and see what each scheme saves, what a model would read, and that your text can be restored. Nothing leaves your machine.'
    reply.header('vary', 'Cookie, Accept-Encoding')
    const title = 'Try it on your own text'
    return pages.send(reply, { title, description, viewer, main, ...SHOWN_AS })
  })
}

const SHOWN_AS = { section: 'try', script: 'try', canonical: '/try' } as const

type Encoding = 'br' | 'gzip' | 'identity'

/** Browsers accept brotli over https and from this machine only. */
function chooseEncoding({ headers }: FastifyRequest): Encoding {
  const accepted = String(headers['accept-encoding'] ?? '')
  const accepts = (name: string): boolean =>
    accepted.split(',').some((part) => new Set([name, `${name};q=1`]).has(part.replace(/\s/g, '')))
  return accepts('br') ? 'br' : accepts('gzip') ? 'gzip' : 'identity'
}

interface BuiltWorker {
  readonly path: string
  /** Reads or compresses the file once for each encoding. */
  encode(encoding: Encoding): Promise<Buffer>
}

/** Reads the bundled worker; undefined if it was not built. */
async function readWorker(folder: URL): Promise<BuiltWorker | undefined> {
  const read = (name: string): Promise<Buffer | undefined> =>
    readFile(new URL(name, folder)).catch(() => undefined)
  const [code, brotli] = await Promise.all([read('try-worker.js'), read('try-worker.js.br')])
  if (code === undefined || brotli === undefined) return undefined
  const zip = loadOnce(() => promisify<Buffer, Buffer>(gzip)(code))
  return {
    path: createScript('try-worker', code).path,
    async encode(encoding) {
      if (encoding === 'gzip') return zip()
      return encoding === 'br' ? brotli : code
    },
  }
}

function renderTry(
  worker: { readonly path: string; readonly size: number } | undefined,
  example: string,
): Html {
  return html`<div class="lead">
      <h1>Try it on your own text</h1>
      <p class="about">
        Paste markdown to see what each way to shorten it saves, what a model reads, and that it is restored
        byte for byte. <strong>Nothing leaves your machine:</strong> the program runs in this page.
      </p>
    </div>
    ${
      worker === undefined
        ? html`<p class="note">
            This catalog was built without the compressor for browsers. Its operator can add it with
            <code>pnpm build</code>.
          </p>`
        : renderForm(worker, example)
    }
    <noscript
      ><p class="note">
        This page needs JavaScript, because the compressor runs in your browser. The command line does the
        same without one: <code>pack build notes.md --report report.html</code> shows the savings and marks
        each term.
      </p></noscript
    >
    <section class="try-after" aria-labelledby="~files">
      <h2 id="~files">The same with files</h2>
      <pre class="code" id="~command" tabindex="0" data-copy>pack build notes.md</pre>
      <p class="quiet">
        Builds a pack of up to 16 MB and verifies it. <code>pack</code> is not on npm yet: run it in a clone
        of Packs. Or use published packs: <a href="/browse">browse</a>.
      </p>
    </section>`
}

function renderForm(worker: { readonly path: string; readonly size: number }, example: string): Html {
  const size = `${formatNumber(Math.ceil(worker.size / 1000))} KB`
  return html`<div
      class="try"
      id="~try"
      data-worker="${worker.path}"
      data-size="${size}"
      data-example="${example}"
    >
      <div class="try-source">
        <p class="try-label">
          <label for="~text">Your markdown</label>
          <button type="button" id="~clear" hidden>Clear</button>
        </p>
        <textarea
          id="~text"
          rows="12"
          spellcheck="false"
          autocomplete="off"
          dir="auto"
          aria-describedby="~status"
          placeholder="Paste markdown here, or drop a file of up to 2 MB"
        ></textarea>
        <p class="actions">
          <button type="button" class="primary" id="~example">Fill in an example</button>
          <button type="button" id="~choose">Choose a file</button>
          <input type="file" id="~file" hidden accept=".md,.mdx,.markdown,.txt,text/*" aria-label="File" />
        </p>
        <p class="try-status" id="~status" role="status">Downloads ${size} on first use.</p>
      </div>
      <table class="try-schemes">
        <caption>
          Tokens (o200k_base) of each scheme, header included.
        </caption>
        <thead>
          <tr>
            <th scope="col">Scheme</th>
            <th scope="col">Tokens</th>
            <th scope="col">Saves</th>
          </tr>
        </thead>
        <tbody>
          ${Object.entries(schemeWords).map(
            ([scheme, [name, meaning]]) =>
              html`<tr data-scheme="${scheme}">
                <th scope="row">
                  <label
                    ><input type="radio" name="scheme" value="${scheme}" disabled />
                    <span title="${scheme}">${name}</span></label
                  >
                  <span class="quiet">${meaning}${scheme === 'max-2' && '; not readable by people'}</span>
                  <span class="try-bar" aria-hidden="true"></span>
                </th>
                <td>–</td>
                <td>–</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${renderResult()}`
}

/** Renders the place of the prompt, which the script fills. */
function renderResult(): Html {
  return html`<p class="try-legend" id="~legend" hidden>
      <span><i class="content"></i>content</span> <span><i class="header"></i>header</span>
      <span><i class="saved"></i>saved</span>
    </p>
    <section class="try-result" id="~result" aria-labelledby="~result-title" hidden>
      <div class="try-bar-row">
        <h2 id="~result-title">The prompt</h2>
        <p class="actions">
          <button type="button" class="primary" id="~copy">Copy the prompt</button>
        </p>
      </div>
      <p id="~proof"></p>
      <p class="quiet" id="~rest"></p>
      <label class="try-switch" id="~gone-switch"
        ><input type="checkbox" id="~gone" checked /> Show removed text, struck through</label
      >
      <label class="try-switch" id="~switch"
        ><input type="checkbox" id="~expand" /> Show each term expanded</label
      >
      <div class="try-frame">
        <p class="try-note" id="~note" aria-live="polite"></p>
        <div
          class="try-text"
          id="~prompt"
          tabindex="0"
          role="group"
          aria-label="Text of the prompt"
          dir="auto"
        ></div>
      </div>
    </section>`
}
