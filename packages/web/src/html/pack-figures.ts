import type { PackSummary } from '@packs/catalog'
import type { Scheme } from '@packs/codec'
import { html, type Html } from '@packs/theme'
import { escapeBidi, formatNumber } from './display-text.ts'

/** What people call each scheme, and what it does. */
export const schemeWords: Readonly<Record<Scheme, readonly [name: string, meaning: string]>> = {
  none: ['Source', 'the text as it was written'],
  'minify-1': ['Lean', 'without comments and other invisible markup; any model reads it'],
  'dense-2': ['Dense', 'lean, and repeated phrases become one letter each, which a header explains'],
  'max-2': ['Max', 'like Dense, also across headings and tables'],
}

export type Counts = Pick<PackSummary, 'uncompressed_estimate' | 'token_count' | 'rosetta_tokens'>

/** What the text of a pack costs beside its source, as `pack build` prints it. */
interface PackCost {
  readonly source: number
  /** Tokens of content and header. */
  readonly paid: number
  /** Tokens of the content; all if the pack is sent as it is. */
  readonly content: number
  /** Tokens fewer than the source; 0 if the pack is sent as it is. */
  readonly saved: number
}

/** Returns the one figure that all pages show for what a pack costs. */
export function measureCost(pack: Counts): PackCost {
  const { uncompressed_estimate: source, token_count, rosetta_tokens } = pack
  const paid = token_count + rosetta_tokens
  const saved = Math.max(0, source - paid)
  return { source, paid, content: saved === 0 ? paid : token_count, saved }
}

/** Describes what a pack saves in words: `saves 16.0 %, 1,204 tokens`, or `no saving`. */
export function describeSaving(pack: Counts): string {
  const { source, saved } = measureCost(pack)
  return saved === 0 ? 'no saving' : `saves ${formatShare(saved / source)}, ${formatNumber(saved)} tokens`
}

/** @example formatShare(0.13714) // '13.7 %' */
export function formatShare(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}

/**
 * Links to the prompt with a pack, which a script adds. Screen readers hear its title.
 * @param name with the version if that is the one to add
 */
export function renderAddLink(
  pack: Counts & Pick<PackSummary, 'slug' | 'title'>,
  name: string = pack.slug,
  kind = 'add',
): Html {
  return html`<a
    class="${kind}"
    href="/prompt?pack=${name}"
    rel="nofollow"
    data-add="${name}"
    data-tokens="${measureCost(pack).paid}"
    >Add to prompt<span class="unseen">: ${escapeBidi(pack.title)}</span></a
  >`
}

/** Explains the parts of the bars, which screen readers skip. */
export const barKey: Html = html`<p class="bar-key quiet" aria-hidden="true">
  <span><i class="key-content"></i> content</span>
  <span><i class="key-header"></i> header</span>
  <span><i class="key-saved"></i> saved</span>
</p>`

/**
 * Draws content, header, and what is saved. Numbers follow as text, so screen readers skip it. The
 * header is a dashed line, so that its hatching keeps its shape.
 */
export function renderCostBar(pack: Counts): Html {
  const { source, paid, content, saved } = measureCost(pack)
  const share = (tokens: number): number => Math.round((10_000 * tokens) / Math.max(1, source, paid)) / 100
  return html`<svg class="cost-bar" aria-hidden="true">
    <rect class="bar-cost" width="${share(content)}%" height="100%" />
    ${
      content < paid &&
      html`<line class="bar-hatch" x1="${share(content)}%" x2="${share(paid)}%" y1="50%" y2="50%" />`
    }
    ${saved > 0 && html`<rect class="bar-gain" x="${share(paid)}%" width="100%" height="100%" />`}
  </svg>`
}

/** What the program assumes if an author does not state it, for packs that do not record it. */
const ASSUMED = { domain: 'General', subdomain: 'General', difficulty: 'intermediate' } as const

/** Returns a value that the author stated: pages show only what somebody wrote. */
export function statedField(
  pack: Partial<Pick<PackSummary, keyof typeof ASSUMED | 'assumed'>>,
  name: keyof typeof ASSUMED,
): string | undefined {
  const isAssumed = pack.assumed?.includes(name) ?? pack[name] === ASSUMED[name]
  return isAssumed ? undefined : pack[name]
}
