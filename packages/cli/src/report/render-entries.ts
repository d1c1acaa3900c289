import { truncateText } from '../measure/truncate-text.ts'
import { formatCount } from '../output/format-table.ts'
import type { Html } from '@packs/codec/theme'
import { markup } from './markup.ts'
import type { ReportEntry, ReportModel } from './report-model.ts'

/** HTML elements per entry, in the header, the table and the notes together. */
export const ELEMENTS_PER_ENTRY = 17
/** Longest expansion that is shown in full, in UTF-16 units. */
const MAX_EXPANSION_LENGTH = 400

/** Renders the header as written, with each entry as an element that can be hovered. */
export function renderHeader({ pack, entries, ranks }: ReportModel, limit: number, prefix: string): Html {
  const chips = entries
    .slice(0, limit)
    .map(
      ({ escapedTerm, escapedExpansion }, at) =>
        markup`${at === 0 ? '' : '|'}<span class="k e${ranks[at]}" id="${prefix}k${ranks[at]}"><b>${escapedTerm}</b>=${truncateText(escapedExpansion, MAX_EXPANSION_LENGTH)}</span>`,
    )
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
export function renderTable(
  { pack, entries, entriesByNet }: ReportModel,
  limit: number,
  findTarget: (entry: number) => string,
): Html {
  const rows = entriesByNet
    .slice(0, limit)
    .map((entry, rank) => renderEntry(entries[entry]!, rank, findTarget(entry)))
  const omitted = entriesByNet.length - rows.length
  const heads = ['Uses', 'Refs', 'Gross', 'Header', 'Net'].map(
    (name) => markup`<th scope="col" class="n">${name}</th>`,
  )
  const more = markup`<p class="rest">${formatCount(omitted)} more entries; <code>pack inspect</code> lists all.</p>`
  return markup`<div class="scroll" role="region" tabindex="0" aria-label="Entries of ${pack.slug}"><table class="entries">
<thead><tr><th scope="col">Term</th><th scope="col">Expansion</th>${heads}</tr></thead>
<tbody>
${rows}</tbody>
</table></div>
${omitted > 0 ? more : ''}`
}

/** Renders the note that is shown while an entry is hovered: its expansion and its savings. */
export function renderNotes({ entries, entriesByNet }: ReportModel, limit: number): Html {
  const notes = entriesByNet.slice(0, limit).map((entry, rank) => {
    const { escapedTerm, resolvedExpansion, uses, references, gross, header, net } = entries[entry]!
    const refs = references === 0 ? '' : ` and ${formatCount(references)} in the header`
    const sum = `saves ${formatCount(gross)} − header ${formatCount(header)} =`
    return markup`<p class="o e${rank}">
<span class="pair"><b>${escapedTerm}</b>=${truncateText(resolvedExpansion, MAX_EXPANSION_LENGTH)}</span>
<span>${formatCount(uses)} ${uses === 1 ? 'use' : 'uses'}${refs} · ${sum} <b>net ${formatCount(net)}</b></span>
</p>
`
  })
  return markup`<div class="notes" aria-hidden="true">${notes}</div>`
}

function renderEntry(
  { escapedTerm, escapedExpansion, uses, references, gross, header, net }: ReportEntry,
  rank: number,
  target: string,
): Html {
  const counts = [uses, references, gross, header, net].map(
    (count) => markup`<td class="n">${formatCount(count)}</td>`,
  )
  return markup`<tr class="e${rank}"><th scope="row"><a href="#${target}">${escapedTerm}</a></th>
<td><span class="pair">${truncateText(escapedExpansion, MAX_EXPANSION_LENGTH)}</span></td>${counts}</tr>
`
}
