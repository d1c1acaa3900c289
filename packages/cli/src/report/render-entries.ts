import { formatCount } from '../output/format-table.ts'
import { cutText } from '../inspect/cut-text.ts'
import { markup, type Markup } from './markup.ts'
import type { PackPicture, PicturedEntry } from './report-model.ts'

/** Elements that an entry takes in header, table and note together. */
export const ELEMENTS_PER_ENTRY = 17
/** Most units of an expansion that are shown. */
const SHOWN = 400

/** Renders the header as it is written, each entry to be pointed at. */
export function renderHeader({ pack, entries, ranks }: PackPicture, most: number, prefix: string): Markup {
  const chips = entries
    .slice(0, most)
    .map(
      ({ writtenTerm, writtenExpansion }, at) =>
        markup`${at === 0 ? '' : '|'}<span class="k e${ranks[at]!}" id="${prefix}k${ranks[at]!}"><b>${writtenTerm}</b>=${cutText(writtenExpansion, SHOWN)}</span>`,
    )
  const rest = entries.length - chips.length
  const more = rest > 0 ? `| … ${formatCount(rest)} more` : ''
  return markup`<div class="rosetta" role="region" tabindex="0" aria-label="Header of ${pack.slug}">[DECODE] ${chips}${more}</div>
`
}

/**
 * Renders the entries as a table, what nets most first.
 *
 * @param findTarget id of the place that an entry leads to
 */
export function renderTable(
  { pack, entries, best }: PackPicture,
  most: number,
  findTarget: (entry: number) => string,
): Markup {
  const rows = best.slice(0, most).map((entry, rank) => renderEntry(entries[entry]!, rank, findTarget(entry)))
  const rest = best.length - rows.length
  const heads = ['Uses', 'Refs', 'Gross', 'Header', 'Net'].map(
    (name) => markup`<th scope="col" class="n">${name}</th>`,
  )
  const more = markup`<p class="rest">${formatCount(rest)} more entries; <code>pack inspect</code> lists all.</p>`
  return markup`<div class="scroll" role="region" tabindex="0" aria-label="Entries of ${pack.slug}"><table class="entries">
<thead><tr><th scope="col">Term</th><th scope="col">Expansion</th>${heads}</tr></thead>
<tbody>
${rows}</tbody>
</table></div>
${rest > 0 ? more : ''}`
}

/** Renders what is shown of an entry while it is pointed at: what it stands for, and what it brings. */
export function renderNotes({ entries, best }: PackPicture, most: number): Markup {
  const notes = best.slice(0, most).map((entry, rank) => {
    const { writtenTerm, phrase, uses, references, gross, header, net } = entries[entry]!
    const refs = references === 0 ? '' : ` and ${formatCount(references)} in the header`
    const sum = `saves ${formatCount(gross)} − header ${formatCount(header)} =`
    return markup`<p class="o e${rank}">
<span class="pair"><b>${writtenTerm}</b>=${cutText(phrase, SHOWN)}</span>
<span>${formatCount(uses)} ${uses === 1 ? 'use' : 'uses'}${refs} · ${sum} <b>net ${formatCount(net)}</b></span>
</p>
`
  })
  return markup`<div class="notes" aria-hidden="true">${notes}</div>`
}

function renderEntry(
  { writtenTerm, writtenExpansion, uses, references, gross, header, net }: PicturedEntry,
  rank: number,
  target: string,
): Markup {
  const counts = [uses, references, gross, header, net].map(
    (count) => markup`<td class="n">${formatCount(count)}</td>`,
  )
  return markup`<tr class="e${rank}"><th scope="row"><a href="#${target}">${writtenTerm}</a></th>
<td><span class="pair">${cutText(writtenExpansion, SHOWN)}</span></td>${counts}</tr>
`
}
