import type { DamagedVersion, PackSummary } from '@packs/catalog'
import { escapeBidi, renderLangAttribute } from '../../html/display-text.ts'
import { formatNumber, formatPercent } from '../../html/format-values.ts'
import { html, type Html } from '@packs/codec/theme'
import { renderTokenBar } from '../../html/token-chart.ts'
import { isFiltered, renderFrame, renderPastEnd, type ListFrame } from './list-frame.ts'
import { renderAbout, type AboutLimits } from './pack-about.ts'

export interface PackList extends Pick<ListFrame, 'query' | 'domains' | 'total'> {
  readonly packs: readonly PackSummary[]
  /** Packs that cannot be shown. */
  readonly damaged: readonly DamagedVersion[]
}

/** Keeps the first page small, and its entries short. */
const ABOUT_LIMITS: AboutLimits = { characters: 200, tags: 6 }

/** Renders the list of packs with its filters and paging. */
export function renderList(list: PackList): Html {
  const { packs, damaged } = list
  const content = html`${packs.length + damaged.length === 0 ? renderEmpty(list) : renderRows(packs)}
  ${damaged.length > 0 && renderDamaged(damaged)}`
  return renderFrame({ ...list, shown: packs.length, noun: 'pack' }, content)
}

function renderRows(packs: readonly PackSummary[]): Html {
  return html`<ul class="packs">
    ${packs.map(
      (pack) =>
        html`<li>
          <h2>
            <a href="/browse/${pack.slug}"
              ><bdi ${renderLangAttribute(pack.title)}>${escapeBidi(pack.title)}</bdi></a
            >
          </h2>
          <p class="quiet meta">
            <span
              ><bdi ${renderLangAttribute(pack.domain, pack.title)}>${escapeBidi(pack.domain)}</bdi>
              <span aria-hidden="true">›</span>
              <bdi ${renderLangAttribute(pack.subdomain, pack.title)}
                >${escapeBidi(pack.subdomain)}</bdi
              ></span
            >
            <span class="chip">${pack.difficulty}</span>
          </p>
          ${renderAbout(pack, ABOUT_LIMITS)}
          <p class="figures">
            ${renderTokenBar(pack)}
            <span
              ><b>${formatNumber(pack.token_count + pack.rosetta_tokens)}</b> of
              ${formatNumber(pack.uncompressed_estimate)} tokens</span
            >
            <span class="${pack.net_savings_pct > 0 ? 'saving' : 'quiet'}"
              >${formatPercent(pack.net_savings_pct)} saved</span
            >
          </p>
        </li>`,
    )}
  </ul>`
}

function renderDamaged(damaged: readonly DamagedVersion[]): Html {
  return html`<p class="note">
    Damaged and not shown: ${damaged.map(({ slug }) => escapeBidi(slug)).join(', ')}. The operator can restore
    them.
  </p>`
}

function renderEmpty({ query, total }: PackList): Html {
  if (total > 0) return renderPastEnd(query)
  if (!isFiltered(query)) {
    return html`<div class="empty">
      <p>The catalog has no packs yet.</p>
      <p>Publish some with <code>pack publish FILES</code>.</p>
    </div>`
  }
  return html`<div class="empty">
    <p>No pack matches.</p>
    <p>Try fewer words or parts of words, or <a href="/browse">see all packs</a>.</p>
  </div>`
}
