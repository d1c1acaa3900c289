import type { IndexContext, PackSearchPage, PackSummary } from '@packs/catalog'
import { html, type Html } from '@packs/theme'
import {
  cutText,
  escapeBidi,
  formatCount,
  formatNumber,
  formatSectionPath,
  readSnippet,
  renderLangAttribute,
  renderMarked,
} from '../../html/display-text.ts'
import { describeSaving, measureCost, renderAddLink, statedField } from '../../html/pack-figures.ts'
import { type Access, describeExceededQuota } from '../pack/open-pack.ts'
import { renderProHint } from '../page.ts'
import { type ListFrame, renderFrame, renderNothing, renderPastEnd } from './list-page.ts'

export interface SearchView extends Pick<ListFrame, 'query' | 'domains'> {
  readonly found: PackSearchPage
  /** Passages that answer the search, if it is a question. */
  readonly answer: IndexContext | undefined
  /** How much of a pack the visitor may see, and what the search cost. */
  readonly access: Access
  readonly now: Date
  /** Hits of each pack, those with a text that the visitor sees first. */
  readonly groups: readonly PackHits[]
  /** Tokens of what is copied of the sections that the visitor sees whole. */
  readonly copies: ReadonlyMap<SectionHit, number>
  readonly others: readonly PackSummary[]
  readonly contact: string | undefined
}

type SearchHit = PackSearchPage['hits'][number]
export type SectionHit = SearchHit['also'][number]
type FoundPack = SearchHit['pack']

/** Hits of one pack: those that the visitor sees, those beyond, and further ones that are seen. */
export interface PackHits {
  readonly pack: FoundPack
  readonly shown: readonly SectionHit[]
  readonly beyond: readonly SectionHit[]
  readonly also: readonly SectionHit[]
}

const MAX_HEADING = 80
const MAX_ALSO = 5
/** Passages that are not folded. */
const MAX_OPEN = 4
/** Headings that a passage of several sections is named by. */
const MAX_TITLES = 4
/** Characters of a passage that is folded. */
const MAX_LEAD = 400
/** Headings of sections beyond the preview. */
const MAX_BEYOND = 3
/** Of the score of the best passage: a section beyond the preview with more is as good. */
const NEAR = 0.9

export function renderSearch(view: SearchView): Html {
  const { found, groups, query, answer } = view
  const { hits, total, corrected } = found
  const note =
    corrected !== null && html`<p>Showing results for <b dir="auto">${escapeBidi(corrected)}</b>.</p>`
  const list = html`${note} ${hits.length > 0 && answer !== undefined && renderAnswer(answer, view)}
  ${renderCost(view)}
  ${
    hits.length > 0
      ? html`<ul class="packs results">
          ${groups.map((group) => renderPackHits(group, view))}
        </ul>`
      : total > 0
        ? renderPastEnd(query)
        : renderNothing(query, view.others)
  }`
  return renderFrame({ ...view, total, shown: hits.length, inPacks: groups.length }, list)
}

/** A search that shows more than previews is charged as a request, as in the API. */
function renderCost({ access, now, contact, found }: SearchView): Html | false {
  if (access.reason === 'pro')
    return html`<p class="quiet beyond">
      Each search counts as a request. You have ${formatNumber(access.state.remaining)} left today.
    </p>`
  if (access.reason === 'recovery' || found.total === 0) return false
  const about = 'Results show only previews.'
  if (access.reason !== 'quota-exceeded')
    return html`<p class="quiet beyond">${about} ${renderProHint(contact)}</p>`
  const { reason, hint } = describeExceededQuota(access.state, now)
  return html`<p class="note">${about} ${reason}. ${hint}</p>`
}

/** @param seen sections in the preview, as `pack/section`; undefined if the visitor sees all */
export function groupByPack(
  { hits }: PackSearchPage,
  seen: ReadonlySet<string> | undefined,
): readonly PackHits[] {
  const groups = [...Map.groupBy(hits, ({ pack }) => pack.id).values()].map((own): PackHits => {
    const { pack } = own[0]!
    const also = own.flatMap((hit) => hit.also)
    const isSeen = ({ section }: SectionHit): boolean =>
      section === null || seen === undefined || seen.has(`${pack.id}/${section.id}`)
    const all = [...own, ...also].filter(isSeen)
    return {
      pack,
      shown: all.slice(0, own.length),
      also: all.slice(own.length),
      beyond: [...own, ...also].filter((hit) => !isSeen(hit)),
    }
  })
  const rank = ({ shown }: PackHits): number => (shown.length > 0 ? 0 : 1)
  return groups.toSorted((a, b) => rank(a) - rank(b))
}

function renderPackHits({ pack, shown, beyond, also }: PackHits, view: SearchView): Html {
  const { title, slug, domain_slug } = pack
  const domain = statedField(view.domains.find((known) => known.domain_slug === domain_slug) ?? {}, 'domain')
  const { source, paid, saved } = measureCost(pack)
  const whole = shown.find(({ section }) => section === null)
  const sections = shown.filter(({ section }) => section !== null)
  return html`<li dir="auto">
    <div class="result-head">
      <h2>
        <a href="/browse/${slug}"><span ${renderLangAttribute(title)}>${renderWords(title, view)}</span></a>
      </h2>
      ${renderAddLink(pack)}
    </div>
    <p class="quiet meta">
      ${domain !== undefined && html`<bdi ${renderLangAttribute(domain, title)}>${escapeBidi(domain)}</bdi>`}
      <span>${formatCount(paid, 'token')}</span>
      <span ${saved > 0.03 * source && html`class="saving"`}>${describeSaving(pack)}</span>
    </p>
    ${sections.length === 0 && whole !== undefined && whole.snippet !== null && renderSnippet(whole.snippet, title, view)}
    ${
      sections.length > 0 &&
      html`<ul class="hits">
        ${sections.map((hit) => renderHit(hit, pack, view))}
      </ul>`
    }
    ${also.length > 0 && html`<p class="quiet also">Also: ${renderLinks(also.slice(0, MAX_ALSO), pack)}</p>`}
    ${
      beyond.length > 0 &&
      html`<p class="quiet also">
        ${formatCount(beyond.length, sections.length > 0 ? 'more section' : 'section')}
        ${beyond.length === 1 ? 'matches' : 'match'} in the whole pack (Pro):
        ${renderLinks(beyond.slice(0, MAX_BEYOND), pack)}${beyond.length > MAX_BEYOND && ' …'}
      </p>`
    }
  </li>`
}

function renderHit(hit: SectionHit, pack: FoundPack, view: SearchView): Html {
  const { slug, version, title } = pack
  const { section, snippet } = hit
  const id = encodeURIComponent(section?.id ?? '')
  const copied = view.copies.get(hit)
  const rest = view.access.scope === 'preview' && ', the rest is in the whole pack (Pro)'
  const tokens = formatCount(copied ?? section?.tokens ?? 0, 'token')
  return html`<li>
    <div class="hit-head">
      <p class="path">${renderSectionLink(hit, pack, 'path')}</p>
      <p class="quiet hit-actions">
        ${
          copied !== undefined
            ? html`<button
                  type="button"
                  class="copy"
                  hidden
                  data-copy-url="/browse/${slug}/${version}/section?id=${id}"
                >
                  Copy ${tokens}</button
                ><noscript>${tokens}</noscript>`
            : html`<span>${tokens}${rest}</span>`
        }
      </p>
    </div>
    ${snippet !== null && renderSnippet(snippet, title, view)}
  </li>`
}

function renderLinks(hits: readonly SectionHit[], pack: FoundPack): readonly Html[] {
  return hits.map((hit, at) => html`${at > 0 && '\u00A0· '}${renderSectionLink(hit, pack, 'title')}`)
}

/** The card has the title of the pack, so a path does not begin with it. */
function renderSectionLink(
  { section }: SectionHit,
  { slug, title }: FoundPack,
  show: 'path' | 'title',
): Html {
  const path = section?.path ?? []
  const below = path[0] === title ? path.slice(1) : path
  const names = below.length === 0 ? ['Introduction'] : show === 'path' ? below : path.slice(-1)
  return renderPathLink(slug, section?.id, names, title)
}

/** Links to a section: the page of a long pack shows the part that has it. */
function renderPathLink(slug: string, id = '', names: readonly string[], context: string): Html {
  const parts = names.map((name, at) => {
    const text = name === '' ? 'Untitled' : cutText(name, MAX_HEADING)
    const lang = renderLangAttribute(text, context)
    return html`${at > 0 && html` <span aria-hidden="true">›</span> `}<bdi ${lang}>${escapeBidi(text)}</bdi>`
  })
  const path = `/browse/${slug}`
  return html`<a href="${id === '' ? path : formatSectionPath(path, id)}">${parts}</a>`
}

function renderSnippet(snippet: string, context: string, view: SearchView): Html | false {
  const text = readSnippet(snippet)
  return (
    text !== '' &&
    html`<p class="snippet" dir="auto" ${renderLangAttribute(text, context)}>${renderWords(text, view)}</p>`
  )
}

function renderWords(text: string, { query, found, access }: SearchView): Html {
  return renderMarked(text, found.corrected ?? query.search, access.scope)
}

/** Renders what a prompt needs for the question. A script copies it, without what was removed. */
function renderAnswer(answer: IndexContext, view: SearchView): Html | false {
  const { match, passages, omitted, tokens, text } = answer
  const locked = omitted.filter(({ reason }) => reason === 'locked')
  const isLocked = locked.length > 0 && locked.length === omitted.length
  if (match === 'none')
    return html`<p class="quiet beyond">
      ${isLocked ? 'The sections with some of these words are beyond the previews (Pro).' : 'Nothing answers this. The sections below have some of its words.'}
    </p>`
  if (passages.length === 0) return false
  const better = locked.filter(({ score }) => score > NEAR * Math.max(...passages.map((one) => one.score)))
  const isOne = better.every(({ pack }) => pack.slug === passages[0]!.pack.slug)
  // Each passage begins with the line before its text, which is a tag.
  const starts: number[] = []
  for (const passage of passages)
    starts.push(text.lastIndexOf('\n', text.indexOf(`>\n${passage.text}\n</`, starts.at(-1))) + 1)
  const links = better.slice(0, MAX_BEYOND).map(({ pack, section, path }, at) => {
    const names = [...new Set([...(isOne ? [] : [pack.title]), path.at(-1)!])]
    return html`${at > 0 && '\u00A0· '}${renderPathLink(pack.slug, section.id, names, pack.title)}`
  })
  const rows = passages.map((one, at) => renderPassage(one, text.slice(starts[at], starts[at + 1]), view))
  const total = formatCount(tokens, 'token')
  const extra = tokens - passages.reduce((sum, one) => sum + one.tokens, 0)
  const rating = better.length > 0 ? 'locked' : match
  return html`<section class="passages" aria-labelledby="~passages">
    <div class="passages-head">
      <h2 id="~passages">Passages for a prompt</h2>
      <span class="chip match-${rating}"
        >${rating === 'locked' ? 'Partial: the best sections are in Pro' : rating === 'good' ? 'Good match' : 'Partial match'}</span
      >
      <span class="quiet">${formatCount(extra, 'token')} for the instruction</span>
      <button type="button" class="copy primary" hidden data-copy-parts data-tokens="${tokens}">
        Copy ${total}</button
      ><noscript>${total}</noscript>
    </div>
    <span hidden data-part>${text.slice(0, starts[0])}</span>
    <ol>
      ${rows.slice(0, MAX_OPEN)}
    </ol>
    ${
      rows.length > MAX_OPEN &&
      html`<details class="more">
        <summary>${formatCount(rows.length - MAX_OPEN, 'more passage')}, in the copy too</summary>
        <ol>
          ${rows.slice(MAX_OPEN)}
        </ol>
      </details>`
    }
    ${better.length > 0 && html`<p class="quiet better">Also in the whole ${isOne ? 'pack' : 'packs'} (Pro): ${links}</p>`}
  </section>`
}

/** The path, and what the text of a passage begins with. */
const PLACE = /^(?:[^\n#]*\n)?(?:#{1,6} [^\n]*\n+)+/

function renderPassage(
  { pack, sections, tokens, text }: IndexContext['passages'][number],
  tagged: string,
  view: SearchView,
): Html {
  const shown = escapeBidi(tagged)
  const titles = sections
    .slice(0, MAX_TITLES)
    .map(({ title }) => title)
    .filter((title) => title !== pack.title)
  const names = titles.length === 0 ? [pack.title] : [pack.title, titles.join(', ')]
  return html`<li data-tokens="${tokens}">
    <div class="hit-head">
      <p class="path">${renderPathLink(pack.slug, sections[0]?.id, names, pack.title)}</p>
      <p class="quiet hit-actions">
        <span>${formatCount(tokens, 'token')}</span>
        <button type="button" class="omit" hidden aria-label="Remove passage">×</button>
      </p>
    </div>
    <details>
      <summary>${renderSnippet(text.replace(PLACE, '').slice(0, MAX_LEAD), pack.title, view)}</summary>
      <pre
        class="passage"
        dir="auto"
        data-part
        ${shown !== tagged && html`data-text="${encodeURIComponent(tagged)}"`}
      >
${shown}</pre>
    </details>
  </li>`
}
