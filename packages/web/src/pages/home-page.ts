import type { Catalog } from '@packs/catalog'
import { html, type Html } from '@packs/theme'
import { formatCount, formatNumber } from '../html/display-text.ts'
import { measureCost } from '../html/pack-figures.ts'
import type { FastifyInstance } from 'fastify'
import type { WebPorts } from '../ports.ts'
import { renderSearchField, type SiteFacts } from './page.ts'
import { addPage, type PageSender } from './serve-page.ts'

/** Figures of all packs that are shown. */
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

/**
 * Counts what the packs of a catalog save. Only packs that changed are read again, and a visitor
 * waits for one page of them at most.
 */
function createTotalsReader({
  packs,
  sequence,
}: Pick<Catalog, 'packs' | 'sequence'>): () => Promise<CatalogTotals> {
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
    const [{ total }, now] = await Promise.all([packs.list({ limit: 1, offset: 0 }), sequence()])
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
            <dd>${Math.round(100 * savings.median)} %</dd>
          </div>`
      }
    </dl>
    <section class="code-lines" aria-labelledby="~code">
      <h2 id="~code">Two lines in your program</h2>
      <pre class="code" tabindex="0" data-copy>${writeSample(baseUrl)}</pre>
      <p class="quiet">
        <a href="/settings">Get a key</a> and set <code>PACK_KEY</code>. The client checks each pack against
        its digest before it composes the prompt. More in <a href="/docs">the documentation</a>.
      </p>
    </section>`
}

function writeSample(baseUrl: string): string {
  return `const client = createClient({ url: '${baseUrl}', key: process.env.PACK_KEY })
const { text } = await client.prompt(['tls-certificates', 'http-status-codes'])`
}

/**
 * A paragraph of `examples/packs/payments-api-reference.md` as its pack writes it, and the figures
 * of both. Loading the compressor takes too long for a server, so a test computes them again.
 */
export const specimen = {
  slug: 'payments-api-reference',
  source:
    'Returns status 201 and the payment object. Possible errors: `missing_field`, `invalid_value`, `unknown_field`, `amount_too_small`, `amount_too_large`, `idempotency_mismatch`, `request_in_progress`, and `invalid_state` if the payment method is attached to another customer.',
  content:
    '모201料手 `missing_field`, 마, `amount_too_small`, 되 主, `request_in_progress`, and 변 if the payment method is attached to another customer.',
  /** Its terms, as the whole header decodes them. */
  terms: {
    모: 'Returns status ',
    料: ' and the payment object.',
    手: ' Possible errors:',
    마: '`invalid_value`, `unknown_field`',
    되: '`amount_too_large`,',
    主: '`idempotency_mismatch`',
    변: '`invalid_state`',
  },
  tokens: { source: 63, content: 36 },
  /** Of the whole document; the prompt includes header and instruction. */
  whole: { source: 2868, prompt: 2371 },
} as const

/** Renders the paragraph as source and in its pack, with the terms that it uses. */
function renderSpecimen(): Html {
  const { source, content, tokens, whole } = specimen
  const terms = Object.entries(specimen.terms)
  const saved = Math.round((100 * (whole.source - whole.prompt)) / whole.source)
  return html`<section class="specimen" aria-labelledby="~specimen">
    <h2 id="~specimen">The same paragraph, twice</h2>
    <div class="specimen-pair">
      <figure class="card">
        <figcaption><b>${tokens.source} tokens</b> in the source</figcaption>
        <p class="specimen-text">${source}</p>
      </figure>
      <figure class="card specimen-pack">
        <figcaption><b>${tokens.content} tokens</b> in its pack, whose header is counted below</figcaption>
        <p class="specimen-text">${Array.from(content, (character) => renderTerm(character))}</p>
      </figure>
    </div>
    <p class="whole-document">
      <b
        >The whole document costs ${formatNumber(whole.prompt)} instead of ${formatNumber(whole.source)}
        tokens, ${saved} % less,</b
      >
      with header and instruction. A model reads the pack directly; a program turns it back into the source,
      byte for byte. <a href="/try#example">See all of it</a>.
    </p>
    <p class="quiet">The header says once what each term stands for; ␣ is a space:</p>
    <dl>
      ${terms.map(
        ([term, expansion]) =>
          html`<div>
            <dt>
              <mark><bdi>${term}</bdi></mark>
            </dt>
            <dd><bdi>${expansion.replace(/^ /, '␣')}</bdi></dd>
          </div>`,
      )}
    </dl>
  </section>`
}

function renderTerm(character: string): Html | string {
  const expansion = (specimen.terms as Readonly<Record<string, string>>)[character]
  return expansion === undefined ? character : html`<mark title="${expansion}"><bdi>${character}</bdi></mark>`
}

/** Adds `/`: what packs are, and the figures of the catalog. */
export function addHomePage(
  app: FastifyInstance,
  { ports, site, pages }: { readonly ports: WebPorts; readonly site: SiteFacts; readonly pages: PageSender },
): void {
  const readTotals = createTotalsReader(ports.catalog)
  addPage(app, '/', async (request, reply) => {
    const viewer = await pages.findViewer(request, reply)
    const main = renderHome(site.baseUrl, await readTotals())
    return pages.send(reply, {
      title: 'Fewer tokens for language models',
      viewer,
      main,
      search: false,
      canonical: '/',
    })
  })
}
