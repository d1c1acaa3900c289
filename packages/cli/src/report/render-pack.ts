import type { BuildResult, BuiltPack } from '../output/build-result.ts'
import type { Diagnostic } from '../output/diagnostic.ts'
import { formatCount } from '../output/terminal.ts'
import {
  type Html,
  markup,
  MAX_EXPANSION_LENGTH,
  renderHeaderEntries,
  renderTermNote,
  truncateText,
} from '@packs/codec/theme'
import { HEAT_LIMITS, renderRows, type RenderBudget } from './render-rows.ts'
import { renderFigures, renderHeads, renderNumbers, renderStrip } from './render-figures.ts'
import type { ReportModel, ReportEntry } from './report-model.ts'

/** Share of the elements for header, table and notes; the rest is for source and content. */
const ENTRIES_SHARE = 0.25

/**
 * Renders the section of a pack.
 *
 * @param id id of the section and prefix of all ids in it
 */
export function renderPack(
  model: ReportModel,
  built: BuiltPack,
  { shown, messages }: Pick<BuildResult, 'shown' | 'messages'>,
  id: string,
  budget: RenderBudget,
): Html {
  const { pack, ranks, unmarkedReason } = model
  const limit = Math.floor((ENTRIES_SHARE * budget.elements) / ELEMENTS_PER_ENTRY)
  const identified = new Set<number>()
  const assignId = (entry: number): string => {
    if (identified.has(entry) || ranks[entry]! >= limit) return ''
    identified.add(entry)
    return `${id}u${ranks[entry]!}`
  }
  const reserved = ELEMENTS_PER_ENTRY * Math.min(limit, model.entries.length)
  const rows = renderRows(model, { ...budget, elements: budget.elements - reserved }, assignId)
  const findTarget = (entry: number): string => {
    if (identified.has(entry)) return `${id}u${ranks[entry]!}`
    return entry < limit ? `${id}k${ranks[entry]!}` : id
  }
  const { slug, version, compression, tokenizer } = pack
  return markup`<section class="pack lit" id="${id}" aria-labelledby="${id}t">
<h2 id="${id}t"><bdi>${pack.title}</bdi></h2>
<p class="meta"><b>${slug}</b> ${version} · <bdi>${pack.domain}</bdi> › <bdi>${pack.subdomain}</bdi> · ${compression} · ${tokenizer} · <bdi>${shown}</bdi></p>
${renderMessages(messages)}${renderFigures(built)}
${unmarkedReason === null ? renderBody() : markup`<p class="rest">Not shown: ${unmarkedReason}.</p>`}
</section>
`

  function renderBody(): Html {
    const none = markup`<p class="rest">No entries: no phrase in this text saves more than its header entry costs.</p>`
    return markup`<h3>Where the tokens went</h3>
${renderStrip(model.rows, pack.slug)}
<p class="legend"><span><i class="q source"></i>source</span> <span><i class="q content"></i>content</span> <span>from the first line to the last</span></p>
${model.entries.length > 0 ? renderEntries() : none}
<h3>Source and content</h3>
${renderLegend()}
${rows}${renderNotes(model, limit)}`
  }

  function renderEntries(): Html {
    return markup`<h3>Header</h3>
${renderHeader(model, limit, id)}
<h3>Entries</h3>
${renderTable(model, limit, findTarget)}`
  }
}

function renderLegend(): Html {
  const heats = HEAT_LIMITS.slice(1).map(
    (top, at) => markup`<i class="q h${at + 1}">${HEAT_LIMITS[at]! + 1}–${top}</i>`,
  )
  return markup`<p class="legend"><span>Tokens per line ${heats}<i class="q h${HEAT_LIMITS.length}">${HEAT_LIMITS.at(-1)! + 1}+</i></span>
<span class="for-entries"><b class="m">marked</b> an entry, on both sides</span>
<span class="for-tokens">Words of several tokens: <i class="t1">3 or more</i> <i class="t2">2 or more</i> <i class="t3">fewer</i> characters per token</span>
<span class="hint">Click an entry to select it, <kbd>n</kbd> and <kbd>p</kbd> go to its next and previous use, <kbd>Esc</kbd> clears the selection.</span></p>`
}

const MAX_MESSAGES = 20

export function renderMessages(messages: readonly Diagnostic[]): Html {
  if (messages.length === 0) return markup``
  const shown = messages.slice(0, MAX_MESSAGES)
  const omitted = messages.length - shown.length
  const more = omitted > 0 ? markup`<li>${formatCount(omitted)} more</li>` : ''
  return markup`<ul class="messages">${shown.map(renderMessage)}${more}</ul>
`
}

function renderMessage({ file, line, column, severity, message, rule, hint }: Diagnostic): Html {
  const location = line === null ? file : `${file}:${line}:${column ?? 1}`
  const note = hint === null ? '' : markup`<br><small>${hint}</small>`
  return markup`<li><b class="${severity}">${severity}</b> ${message} <small>${rule}, <bdi>${location}</bdi></small>${note}</li>
`
}

/** HTML elements per entry, in the header, the table and the notes together. */
const ELEMENTS_PER_ENTRY = 17

/** Renders the header as written, with each entry as an element that can be hovered. */
function renderHeader({ pack, entries, ranks }: ReportModel, limit: number, prefix: string): Html {
  const chips = renderHeaderEntries(entries.slice(0, limit), ranks, { prefix, isLinked: false })
  const omitted = entries.length - chips.length
  const more = omitted > 0 ? `| … ${formatCount(omitted)} more` : ''
  return markup`<div class="rosetta" role="region" tabindex="0" aria-label="Header of ${pack.slug}">[DECODE] ${chips}${more}</div>
`
}

/**
 * Renders the entries as a table, highest net savings first.
 *
 * @param findTarget returns the id of the element that the entry links to
 */
function renderTable(
  { pack, entries, entriesByNet }: ReportModel,
  limit: number,
  findTarget: (entry: number) => string,
): Html {
  const rows = entriesByNet
    .slice(0, limit)
    .map((entry, rank) => renderEntry(entries[entry]!, rank, findTarget(entry)))
  const omitted = entriesByNet.length - rows.length
  const heads = renderHeads(['Uses', 'Refs', 'Gross', 'Header', 'Net'])
  const more = markup`<p class="rest">${formatCount(omitted)} more entries; <code>pack inspect</code> lists all.</p>`
  return markup`<div class="scroll" role="region" tabindex="0" aria-label="Entries of ${pack.slug}"><table class="entries">
<thead><tr><th scope="col">Term</th><th scope="col">Expansion</th>${heads}</tr></thead>
<tbody>
${rows}</tbody>
</table></div>
${omitted > 0 ? more : ''}`
}

/** Renders the note that is shown while an entry is hovered: its expansion and its savings. */
function renderNotes({ entries, entriesByNet }: ReportModel, limit: number): Html {
  const notes = entriesByNet.slice(0, limit).map((entry, rank) => {
    const { uses, references, gross, header, net } = entries[entry]!
    const refs = references === 0 ? '' : ` and ${formatCount(references)} in the header`
    const sum = `saves ${formatCount(gross)} − header ${formatCount(header)} =`
    const about = markup`${formatCount(uses)} ${uses === 1 ? 'use' : 'uses'}${refs} · ${sum} <b>net ${formatCount(net)}</b>`
    return renderTermNote(entries[entry]!, rank, about, { prefix: '', isLinked: false })
  })
  return markup`<div class="notes" aria-hidden="true">${notes}</div>`
}

function renderEntry(
  { escapedTerm, escapedExpansion, uses, references, gross, header, net }: ReportEntry,
  rank: number,
  target: string,
): Html {
  const counts = renderNumbers([uses, references, gross, header, net].map(formatCount))
  return markup`<tr class="e${rank}"><th scope="row"><a href="#${target}">${escapedTerm}</a></th>
<td><span class="pair">${truncateText(escapedExpansion, MAX_EXPANSION_LENGTH)}</span></td>${counts}</tr>
`
}
