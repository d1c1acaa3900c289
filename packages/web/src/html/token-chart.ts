import type { PackSummary } from '@packs/catalog'
import { formatNumber, formatPercent } from './format-values.ts'
import { html, type Html } from '@packs/codec/theme'

/** Width of the view box. The chart is stretched, so only the ratios matter. */
const WIDTH = 600
const BAR = 22

type TokenCounts = Pick<
  PackSummary,
  'uncompressed_estimate' | 'token_count' | 'rosetta_tokens' | 'net_savings_pct'
>

/** Renders the tokens of content and header, and what they save, below those of the source. */
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

/** Renders one thin bar for lists. Screen readers skip it: the figures follow as text. */
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
