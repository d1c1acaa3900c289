import type { Evaluation, PackSummary } from '@packs/catalog'
import {
  escapeBidi,
  renderLangAttribute,
  formatNumber,
  formatCount,
  formatDay,
  formatFragment,
  formatPercent,
} from '../../html/display-text.ts'
import { html, type Html } from '@packs/codec/theme'
import type { Scope } from '../../documents/read-document.ts'
import type { ContentsEntry, Rendering } from '../../markdown/create-renderer.ts'

/** How much of a description and how many tags to show. */
export interface AboutLimits {
  /** Code points of the description. */
  readonly characters: number
  readonly tags: number
}

/** Renders the description and tags from the author of a pack, if any. */
export function renderAbout(
  { title, description, tags = [] }: Pick<PackSummary, 'title' | 'description' | 'tags'>,
  limits: AboutLimits,
): Html {
  const around = `${title} ${description ?? ''}`
  const shown = tags.slice(0, limits.tags)
  return html`${
    description !== undefined &&
    html`<p class="about" dir="auto" ${renderLangAttribute(description, title)}>
      ${escapeBidi(cutText(description, limits.characters))}
    </p>`
  }
  ${
    shown.length > 0 &&
    html`<p class="tags quiet">
      <span>Tags:</span>
      ${shown.map((tag) => html`<bdi class="tag" ${renderLangAttribute(tag, around)}>${escapeBidi(tag)}</bdi> `)}
      ${tags.length > shown.length && html`<span>and ${formatNumber(tags.length - shown.length)} more</span>`}
    </p>`
  }`
}

/**
 * Truncates a text to a number of code points, between words if one ends in the last fifth.
 *
 * @example
 * cutText('one two three', 9) // 'one two…'
 */
export function cutText(text: string, characters: number): string {
  const all = Array.from(text)
  if (all.length <= characters) return text
  const beginning = all.slice(0, characters - 1).join('')
  const space = beginning.lastIndexOf(' ')
  return `${(space > beginning.length * 0.8 ? beginning.slice(0, space) : beginning).trimEnd()}…`
}

/** Longer lists are collapsed. */
const MAX_OPEN = 12

/**
 * Renders the table of contents of a text, nested like its headings; nothing for a text with fewer
 * than two. Headings beyond the part that the page shows have no link.
 */
export function renderContents({ contents }: Rendering, scope: Scope): Html | false {
  const { entries, total } = contents
  if (entries.length < 2) return false
  const more = total - entries.length
  const hasLinks = entries.some(({ isLinked }) => isLinked)
  const list = html`${renderEntries(entries)}
  ${more > 0 && html`<p class="quiet">And ${formatCount(more, 'more section')}.</p>`}
  ${
    hasLinks &&
    entries.some(({ isLinked }) => !isLinked) &&
    html`<p class="quiet">
      Sections without a link are beyond
      ${scope === 'preview' ? 'the preview' : 'the part that this page shows'}.
    </p>`
  }`
  return html`<nav class="contents" aria-label="Contents">
    ${
      entries.length > MAX_OPEN
        ? html`<details>
            <summary>Contents: ${formatCount(total, 'section')}</summary>
            <div>${list}</div>
          </details>`
        : html`<p class="label" aria-hidden="true">Contents</p>
            ${list}`
    }
  </nav>`
}

/** Renders lists with lower-level headings nested below the one before, at most six lists deep. */
function renderEntries(entries: readonly ContentsEntry[]): Html | false {
  if (entries.length === 0) return false
  const items: Html[] = []
  let at = 0
  while (at < entries.length) {
    const entry = entries[at]!
    let end = at + 1
    while (end < entries.length && entries[end]!.level > entry.level) end++
    items.push(html`<li>${renderEntry(entry)} ${renderEntries(entries.slice(at + 1, end))}</li>`)
    at = end
  }
  return html`<ul>
    ${items}
  </ul>`
}

/** A heading without a link has its id here, so that links to it lead to its entry in the list. */
function renderEntry({ id, title, isLinked }: ContentsEntry): Html {
  const name = html`<bdi ${renderLangAttribute(title)}>${title === '' ? 'Untitled' : escapeBidi(title)}</bdi>`
  return isLinked
    ? html`<a href="${formatFragment(id)}">${name}</a>`
    : html`<span id="${id}" class="quiet">${name}</span>`
}

/** Width of the view box. The chart is stretched, so only the ratios matter. */
const WIDTH = 600
const BAR = 22

type TokenCounts = Pick<
  PackSummary,
  'uncompressed_estimate' | 'token_count' | 'rosetta_tokens' | 'net_savings_pct'
>

/** Renders the tokens of content and header, and the savings, below the tokens of the source. */
export function renderTokenChart(pack: TokenCounts): Html {
  const { uncompressed_estimate: source, token_count: content, rosetta_tokens: header } = pack
  const scale = WIDTH / Math.max(1, source, content + header)
  const contentWidth = round(content * scale)
  const headerWidth = round(header * scale)
  const saved = source - content - header
  const label = `Source ${formatNumber(source)} tokens; content ${formatNumber(content)}, header ${formatNumber(header)}; net ${formatPercent(pack.net_savings_pct)} saved.`
  return html`<figure class="tokens">
    <svg viewBox="0 0 ${WIDTH} 64" preserveAspectRatio="none" role="img" aria-label="${label}">
      <rect class="bar-source" x="0" y="2" width="${round(source * scale)}" height="${BAR}" rx="3" />
      ${saved > 0 && html`<rect class="bar-saved" x="0" y="38" width="${round(source * scale)}" height="${BAR}" rx="3" />`}
      <rect class="bar-content" x="0" y="38" width="${contentWidth}" height="${BAR}" rx="3" />
      ${header > 0 && html`<rect class="bar-header" x="${contentWidth}" y="38" width="${headerWidth}" height="${BAR}" />`}
    </svg>
    <figcaption>
      <dl class="legend">
        ${renderLegendEntry('source', 'Source', formatNumber(source))}
        ${renderLegendEntry('content', 'Content', formatNumber(content))}
        ${renderLegendEntry('header', 'Header', formatNumber(header))}
        ${renderLegendEntry('saved', 'Net saved', `${formatNumber(Math.max(0, saved))} · ${formatPercent(pack.net_savings_pct)}`)}
      </dl>
    </figcaption>
  </figure>`
}

/** Renders what models made of the version, if its publisher reports it. */
export function renderEvaluations({ evaluations = [] }: Pick<PackSummary, 'evaluations'>): Html | false {
  if (evaluations.length === 0) return false
  return html`<section class="card" aria-labelledby="~evaluations">
    <h2 id="~evaluations">Read by models, as reported by the publisher</h2>
    <ul class="evaluations">
      ${evaluations.map(renderEvaluation)}
    </ul>
    <p class="quiet">This catalog has not verified the figures.</p>
  </section>`
}

function renderEvaluation(evaluation: Evaluation): Html {
  const { model, date, scheme, questions, documents, difference, interval } = evaluation
  const [low, high] = interval.map(formatPoints)
  return html`<li>
    <b><bdi>${escapeBidi(model)}</bdi></b
    >, scheme ${scheme}, <time datetime="${date}">${formatDay(date)}</time>: ${describeVerdict(evaluation)}
    (difference ${formatPoints(difference)} points, 95 % interval ${low} to ${high},
    ${formatCount(questions, 'question')} over ${formatCount(documents, 'document')})
  </li>`
}

function describeVerdict({ verdict, margin, interval }: Evaluation): string {
  if (verdict === 'worse') return 'worse than the source'
  if (verdict === 'too few questions') return 'too few questions for a verdict'
  const reservation = interval[1] < 0 ? ', but measurably below it' : ''
  return `as good as the source within ${formatNumber(margin)} ${margin === 1 ? 'point' : 'points'}${reservation}`
}

/** Formats a share as percentage points: -0.0213 as `−2.1`. */
function formatPoints(share: number): string {
  return (100 * share).toFixed(1).replace('-0.0', '0.0').replace('-', '−')
}

/** Renders one thin bar for lists. Screen readers skip it, because the numbers follow as text. */
export function renderTokenBar(pack: TokenCounts): Html {
  const { uncompressed_estimate: source, token_count: content, rosetta_tokens: header } = pack
  const scale = 100 / Math.max(1, source, content + header)
  const contentWidth = round(content * scale)
  return html`<svg class="token-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
    <rect class="bar-saved" x="0" y="0" width="${round(source * scale)}" height="6" />
    <rect class="bar-content" x="0" y="0" width="${contentWidth}" height="6" />
    <rect class="bar-header" x="${contentWidth}" y="0" width="${round(header * scale)}" height="6" />
  </svg>`
}

function renderLegendEntry(kind: string, name: string, value: string): Html {
  return html`<div class="legend-${kind}">
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
