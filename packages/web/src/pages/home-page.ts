import type { Catalog, CatalogSample, PackSummary, SectionReader } from '@packs/catalog'
import { html, type Html } from '@packs/theme'
import { cutText, formatCount, formatNumber } from '../html/display-text.ts'
import { formatShare } from '../html/pack-figures.ts'
import type { FastifyInstance } from 'fastify'
import { renderSearchField, seesWholePacks } from './page.ts'
import { addPage, type PageSender } from './serve-page.ts'

/** Renders the home page: what packs do, the search, a paragraph as proof, and a call. */
function renderHome({ packs, median, best, code }: CatalogSample, isLimited: boolean): Html {
  const isEmpty = packs === 0
  const figures = [
    [`${packs === 1 ? 'pack' : 'packs'} in this catalog`, formatNumber(packs)],
    [`of tokens saved${packs > 1 ? ' in the median pack' : ''}`, formatShare(median)],
    ...(packs > 1 ? [['of tokens saved in the best one', formatShare(best)]] : []),
  ]
  return html`<div class="hero">
      <h1>Docs for language models, <span class="whole">in fewer tokens</span></h1>
      <p class="claim">
        Packs drop comments and padding, and replace addresses by numbers. Ask a question and get the sections
        that answer it, in as many tokens as you allow. Every source comes back byte for byte.
      </p>
      ${renderSearchField('', isEmpty ? 'Search packs' : `Ask or search ${formatCount(packs, 'pack')}`)}
      ${isLimited && !isEmpty && html`<p class="quiet">Read the beginning of every pack free; Pro has the whole.</p>`}
      <p class="ways">
        ${isEmpty ? 'This catalog has no packs yet.' : html`<a href="/browse">Browse all packs</a>`}
        <a href="/try">Try your own text</a>
      </p>
    </div>
    ${renderSpecimen()}
    ${
      !isEmpty &&
      html`<dl class="numbers">
        ${figures.map(
          ([name, figure]) =>
            html`<div>
              <dt>${name}</dt>
              <dd>${figure}</dd>
            </div>`,
        )}
      </dl>`
    }
    <section class="code-lines" aria-labelledby="~code">
      <h2 id="~code">${isEmpty ? 'Call it from a program' : 'Ask from a program, in three lines'}</h2>
      <p>
        ${!isEmpty && html`<code>text</code> has the sections that answer, in at most 2,000 tokens.`}
        <code>@packs/client</code> is not on npm yet: run this in a clone of Packs.
      </p>
      <pre class="code" tabindex="0" data-copy>${code}</pre>
      <p class="actions">
        <a class="button" href="/settings/sign-up">Get a free key</a>
        <a href="/docs">Or call it with curl or an agent</a>
      </p>
    </section>`
}

/** Characters of a question. */
const MAX_QUESTION = 60

/** Reads again after the catalog changed. */
export function createSampleReader(
  catalog: Catalog,
  sections: SectionReader,
  baseUrl: string,
): () => Promise<CatalogSample> {
  const open = `import { openDocs } from '@packs/client'
const docs = await openDocs({ url: '${baseUrl}', key: process.env.PACK_KEY })\n`
  const { packs } = catalog
  const share = (pack: PackSummary | undefined): number => Math.max(0, pack?.net_savings_pct ?? 0) / 100
  let latest: { readonly sequence: number; readonly sample: Promise<CatalogSample> } | undefined

  async function read(): Promise<CatalogSample> {
    const { packs: found, total } = await packs.list({ order: 'saved', limit: 2, offset: 0 })
    const [first] = found
    const middle = await packs.list({ order: 'saved', limit: 1, offset: Math.floor(total / 2) })
    const record = first && (await packs.find(first.slug, first.version))
    const outline =
      record &&
      (await sections
        .for('')
        .page(record.sequence, 0, 1)
        .catch(() => undefined))
    const slugs = found.map(({ slug }) => slug)
    const title = (first?.title ?? 'first steps').replace(/[\p{C}\\\s]+/gu, ' ')
    const question = cutText(title.trim(), MAX_QUESTION)
    const quoted = question.includes("'") ? JSON.stringify(question) : `'${question}'`
    const query = new URLSearchParams({ q: question, budget: '2000' }).toString()
    return {
      packs: total,
      median: share(middle.packs[0]),
      best: share(first),
      slugs,
      version: first?.version ?? '',
      section: outline?.sections[0]?.id ?? '~intro',
      isOpen: (outline?.open ?? 0) > 0,
      question,
      ask: `curl -H "x-api-key: $PACK_KEY" \\\n  ${first ? `-H "accept: text/markdown" \\\n"${baseUrl}/api/v1/context?${query}"` : `"${baseUrl}/api/v1/packs"`}`,
      code: `${open}${first ? `const { text } = await docs.context(${quoted}, { budget: 2000 })` : 'const packs = await docs.list()'}`,
    }
  }

  return async () => {
    const now = await catalog.sequence()
    if (latest?.sequence === now) return latest.sample
    const sample = read()
    latest = { sequence: now, sample }
    sample.catch(() => (latest = undefined))
    return sample
  }
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
  tokens: { source: 83, content: 67 },
  /** Of the whole document, header included, in Lean and in Dense. */
  whole: { source: 2868, lean: 2558, dense: 2316 },
} as const

/** Renders the paragraph as source and in its pack, with its addresses marked. */
function renderSpecimen(): Html {
  const { source, content, tokens, whole } = specimen
  const columns = [
    ['the source', tokens.source, source, (address: string) => html`<del>${address}</del>`],
    ['its pack, Lean', tokens.content, content, (number: string) => html`<mark>${number}</mark>`],
  ] as const
  const cost = (paid: number): string =>
    `${formatNumber(paid)} (${formatShare((whole.source - paid) / whole.source)} less)`
  return html`<section class="specimen" aria-labelledby="~specimen">
    <h2 id="~specimen">The same paragraph, twice</h2>
    <div class="specimen-pair">
      ${columns.map(
        ([where, count, text, mark]) =>
          html`<figure class="card">
            <figcaption><b>${count} tokens</b> in ${where}</figcaption>
            <p class="specimen-text">
              ${text.split(/(?<=\]\()([^)]+)/).map((part, at) => (at % 2 ? mark(part) : part))}
            </p>
          </figure>`,
      )}
    </div>
    <p>Addresses become numbers; the pack keeps the list.</p>
    <p class="whole-document">
      <b
        >The whole document: ${formatNumber(whole.source)} tokens in the source, ${cost(whole.lean)} in Lean,
        ${cost(whole.dense)} in Dense.</b
      >
      Any model reads Lean; Dense is for large ones. A program turns both back into the source, byte for byte.
      <a href="/try#example">See all of it</a>.
    </p>
  </section>`
}

export function addHomePage(
  app: FastifyInstance,
  pages: PageSender,
  readSample: () => Promise<CatalogSample>,
): void {
  addPage(app, '/', async (_request, reply) => {
    const viewer = await pages.findViewer(reply)
    const main = renderHome(await readSample(), !seesWholePacks(viewer))
    const title = 'Docs for language models in fewer tokens'
    return pages.send(reply, { title, viewer, main, search: false, canonical: '/' })
  })
}
