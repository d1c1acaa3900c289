import type { Catalog } from '@packs/catalog'
import { html, type Html } from '@packs/codec/theme'
import { formatCount, formatNumber } from '../../html/display-text.ts'
import { measureCost } from '../../html/pack-figures.ts'
import type { FastifyInstance } from 'fastify'
import type { WebPorts } from '../../ports.ts'
import { renderSearchField, type SiteFacts } from '../page.ts'
import { addPage, type PageSender } from '../serve-page.ts'

/** Figures of all packs that are shown. */
interface CatalogTotals {
  readonly packs: number
  /** Of all sources, and what prompts of each pack save; undefined until they are counted. */
  readonly tokens?: { readonly source: number; readonly saved: number } | undefined
}

/** Packs that are counted at once. */
const PAGE = 500

/**
 * Counts the tokens of a catalog. Only packs that changed are read again, and a visitor waits for
 * one page of them at most.
 */
function createTotalsReader({
  packs,
  sequence,
}: Pick<Catalog, 'packs' | 'sequence'>): () => Promise<CatalogTotals> {
  const counted = new Map<string, { readonly source: number; readonly saved: number }>()
  const sum = { source: 0, saved: 0 }
  let last = 0
  let pending: Promise<boolean> | undefined

  const count = (id: string, sign: 1 | -1): void => {
    const known = counted.get(id)
    sum.source += sign * (known?.source ?? 0)
    sum.saved += sign * (known?.saved ?? 0)
  }

  /** Returns whether more packs have changed. */
  async function readChanges(): Promise<boolean> {
    const page = await packs.changes({ after: last, removals: true, limit: PAGE, maxBytes: Infinity })
    for (const change of page.changes) {
      const id = change.removed ? change.id : change.version.id
      count(id, -1)
      if (change.removed) counted.delete(id)
      else counted.set(id, measureCost(change.version))
      count(id, 1)
    }
    last = page.last
    return page.more
  }

  return async () => {
    const [{ total }, now] = await Promise.all([packs.list({ limit: 1, offset: 0 }), sequence()])
    if (now === last) return { packs: total, tokens: { ...sum } }
    pending ??= readChanges().finally(() => (pending = undefined))
    return (await pending) ? { packs: total } : { packs: total, tokens: { ...sum } }
  }
}

/** Renders the home page: what packs do, the search, a paragraph as proof, and where to go. */
function renderHome(baseUrl: string, { packs, tokens }: CatalogTotals): Html {
  return html`<div class="hero">
      <h1>The same documents, in fewer tokens</h1>
      <p class="claim">
        Packs shortens markdown for language models and loses nothing: every pack restores its source byte for
        byte, and states what it costs in a prompt.
      </p>
      ${renderSearchField('', `Search ${formatCount(packs, 'pack')}`)}
      <ul class="ways">
        <li>
          <a href="/browse"><b>Browse</b> all packs</a>
        </li>
        <li>
          <a href="/prompt"><b>Prompt</b> from several packs</a>
        </li>
        <li>
          <a href="/try"><b>Try</b> a text of yours</a>
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
        tokens !== undefined &&
        html`<div>
            <dt>tokens as source</dt>
            <dd>${formatNumber(tokens.source)}</dd>
          </div>
          <div class="saved">
            <dt>tokens saved in prompts</dt>
            <dd>${formatNumber(tokens.saved)}</dd>
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
  content: '出示성 작`, 입`, 提`, 있_small`, 있_large`, 버`, 지우 if theコ 검 another customer.',
  /** Its terms, as the whole header decodes them. */
  terms: {
    出: 'Returns status 201 and',
    示: ' the payment object',
    성: '. Possible errors:',
    작: '`missing_field',
    입: '`invalid_value',
    提: '`unknown_field',
    있: '`amount_too',
    버: '`idempotency_mismatch',
    지: '`request_in_progress',
    우: '`, and `invalid_state`',
    コ: ' payment method',
    검: 'is attached to',
  },
  tokens: { source: 63, content: 26 },
  /** Of the whole document; the prompt includes header and instruction. */
  whole: { source: 5555, prompt: 4817 },
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
        <figcaption><b>${tokens.source} tokens</b> as source</figcaption>
        <p class="specimen-text">${source}</p>
      </figure>
      <figure class="card specimen-pack">
        <figcaption><b>${tokens.content} tokens</b> in its pack</figcaption>
        <p class="specimen-text">${Array.from(content, (character) => renderTerm(character))}</p>
        <p class="quiet">The header says once what each sign stands for:</p>
        <dl>
          ${terms.map(
            ([term, expansion]) =>
              html`<div>
                <dt>
                  <mark><bdi>${term}</bdi></mark>
                </dt>
                <dd><bdi>${expansion}</bdi></dd>
              </div>`,
          )}
        </dl>
      </figure>
    </div>
    <p class="quiet">
      A model reads both. A program turns the second back into the first, byte for byte. The whole document
      costs ${formatNumber(whole.prompt)} instead of ${formatNumber(whole.source)} tokens, header and
      instruction included: ${saved} % less.
    </p>
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
