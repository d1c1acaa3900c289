import type { Catalog } from '@packs/catalog'
import { html, type Html } from '@packs/theme'
import { formatCount, formatNumber } from '../html/display-text.ts'
import { formatShare, measureCost } from '../html/pack-figures.ts'
import type { FastifyInstance } from 'fastify'
import type { WebPorts } from '../ports.ts'
import { renderSearchField, type SiteFacts } from './page.ts'
import { addPage, type PageSender } from './serve-page.ts'

interface CatalogTotals {
  readonly packs: number
  /** Undefined until all packs are counted. */
  readonly savings?: Savings | undefined
}

interface Savings {
  /** Packs that cost fewer tokens than their source. */
  readonly packs: number
  /** The share that the median one of these saves, from 0 to 1. */
  readonly median: number
}

/** Packs that are counted at once. */
const PAGE = 500

/** Reads only packs that changed, and a visitor waits for one page of them at most. */
function createTotalsReader(catalog: Catalog): () => Promise<CatalogTotals> {
  const { packs } = catalog
  const shares = new Map<string, number>()
  let savings: Savings = { packs: 0, median: 0 }
  let last = 0
  let pending: Promise<boolean> | undefined

  /** Returns whether more packs have changed. */
  async function readChanges(): Promise<boolean> {
    const page = await packs.changes({ after: last, removals: true, limit: PAGE, maxBytes: Infinity })
    for (const change of page.changes) {
      if (change.removed) shares.delete(change.id)
      else {
        const { source, saved } = measureCost(change.version)
        shares.set(change.version.id, saved / Math.max(1, source))
      }
    }
    last = page.last
    const saving = [...shares.values()].filter((share) => share > 0).toSorted((a, b) => a - b)
    savings = { packs: saving.length, median: saving[Math.floor(saving.length / 2)] ?? 0 }
    return page.more
  }

  return async () => {
    const [{ total }, now] = await Promise.all([packs.list({ limit: 1, offset: 0 }), catalog.sequence()])
    if (now === last) return { packs: total, savings }
    pending ??= readChanges().finally(() => (pending = undefined))
    return (await pending) ? { packs: total } : { packs: total, savings }
  }
}

/** Renders the home page: what packs do, the search, a paragraph as proof, and where to go. */
function renderHome(baseUrl: string, { packs, savings }: CatalogTotals): Html {
  return html`<div class="hero">
      <h1>The same documents, <span class="whole">in fewer tokens</span></h1>
      <p class="claim">
        A catalog of documents that are shortened for language models. Find one and copy it into your prompt;
        every pack restores its source byte for byte.
      </p>
      ${renderSearchField('', `Search ${formatCount(packs, 'pack')}`)}
      <ul class="ways">
        <li>
          <a class="button" href="/browse">Browse all packs</a>
        </li>
        <li>
          <a class="button" href="/prompt">Combine packs</a>
        </li>
        <li>
          <a class="button" href="/try">Try your own text</a>
        </li>
      </ul>
    </div>
    ${renderSpecimen()}
    <dl class="numbers">
      <div>
        <dt>${packs === 1 ? 'pack' : 'packs'} in this catalog</dt>
        <dd>${formatNumber(packs)}</dd>
      </div>
      ${
        savings !== undefined &&
        html`<div>
            <dt>of them save tokens</dt>
            <dd>${formatNumber(savings.packs)}</dd>
          </div>
          <div class="saved">
            <dt>median saving of these</dt>
            <dd>${formatShare(savings.median)}</dd>
          </div>`
      }
    </dl>
    <section class="code-lines" aria-labelledby="~code">
      <h2 id="~code">Two lines in your program</h2>
      <pre class="code" tabindex="0" data-copy>${writeSample(baseUrl)}</pre>
      <p class="quiet">
        <a href="/settings">Get a key</a> and set <code>PACK_KEY</code>. The text has the passages that
        answer, ready for a prompt. More in <a href="/docs">the documentation</a>.
      </p>
    </section>`
}

function writeSample(baseUrl: string): string {
  return `const docs = await openDocs({ url: '${baseUrl}', key: process.env.PACK_KEY })
const { text } = await docs.context('how do I renew a certificate', { budget: 2000 })`
}

/**
 * A paragraph of `examples/packs/payments-api-reference.md` and its lean pack. A test computes the
 * figures again: loading the compressor takes too long for a server.
 */
export const specimen = {
  slug: 'payments-api-reference',
  source:
    'Compare `code`, which never changes its meaning. Show `message` to developers, not to customers. Quote `request_id` when you write to [support](https://support.harbour.example/new?product=payments-api&source=reference). A payment that a bank declines is **not** an error of the API: the payment object has the status `failed` and a [`failure`](Failure.md).',
  content:
    'Compare `code`, which never changes its meaning. Show `message` to developers, not to customers. Quote `request_id` when you write to [support](7). A payment that a bank declines is **not** an error of the API: the payment object has the status `failed` and a [`failure`](8).',
  links: {
    7: 'https://support.harbour.example/new?product=payments-api&source=reference',
    8: 'Failure.md',
  },
  tokens: { source: 83, content: 67 },
  /** Of the whole document, header included. */
  whole: { source: 2868, paid: 2558 },
} as const

/** Renders the paragraph as source and in its pack, with its addresses marked. */
function renderSpecimen(): Html {
  const { source, content, tokens, whole } = specimen
  const saved = formatShare((whole.source - whole.paid) / whole.source)
  return html`<section class="specimen" aria-labelledby="~specimen">
    <h2 id="~specimen">The same paragraph, twice</h2>
    <div class="specimen-pair">
      <figure class="card">
        <figcaption><b>${tokens.source} tokens</b> in the source</figcaption>
        <p class="specimen-text">${source}</p>
      </figure>
      <figure class="card specimen-pack">
        <figcaption><b>${tokens.content} tokens</b> in its pack</figcaption>
        <p class="specimen-text">${content.split(/(?<=\]\()(?=\d)|(?<=\(\d)(?=\))/).map(renderNumber)}</p>
      </figure>
    </div>
    <p class="whole-document">
      <b
        >The whole document costs ${formatNumber(whole.paid)} instead of ${formatNumber(whole.source)} tokens,
        ${saved} less.</b
      >
      Addresses become numbers, comments and padding go: what no reader sees costs nothing. A program turns
      all of it back into the source, byte for byte. <a href="/try#example">See all of it</a>.
    </p>
  </section>`
}

function renderNumber(part: string): Html | string {
  const address = (specimen.links as Readonly<Record<string, string>>)[part]
  return address === undefined ? part : html`<mark title="${address}">${part}</mark>`
}

export function addHomePage(
  app: FastifyInstance,
  { ports, site, pages }: { readonly ports: WebPorts; readonly site: SiteFacts; readonly pages: PageSender },
): void {
  const readTotals = createTotalsReader(ports.catalog)
  addPage(app, '/', async (_request, reply) => {
    const viewer = await pages.findViewer(reply)
    const main = renderHome(site.baseUrl, await readTotals())
    const title = 'Fewer tokens for language models'
    return pages.send(reply, { title, viewer, main, search: false, canonical: '/' })
  })
}
