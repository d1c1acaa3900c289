import type { DamagedVersion, PackSummary } from '@packs/catalog'
import { html, type Html } from '@packs/theme'
import { escapeBidi, formatDay, formatNumber, renderLangAttribute } from '../../html/display-text.ts'
import { barKey, describeSaving, measureCost, renderCostBar } from '../../html/pack-figures.ts'
import { statedField } from '../../html/stated-fields.ts'
import { cutText } from '../pack/pack-about.ts'
import { isFiltered, renderFrame, renderPastEnd, type ListFrame } from './list-frame.ts'
import { renderMarked } from './plain-snippet.ts'

interface PackList extends Pick<ListFrame, 'query' | 'domains' | 'total'> {
  readonly packs: readonly PackSummary[]
  /** Packs that cannot be shown. */
  readonly damaged: readonly DamagedVersion[]
}

/** Code points of the sentence about a pack, and how many of its tags are shown. */
const MAX_ABOUT = 180
const MAX_TAGS = 4

export function renderList(list: PackList): Html {
  const { packs, damaged } = list
  const content = html`${
    packs.length + damaged.length === 0
      ? renderEmpty(list)
      : html`<ul class="packs">
          ${packs.map((pack) => renderCard(pack, list.query.search))}
        </ul>`
  }
  ${damaged.length > 0 && renderDamaged(damaged)}`
  const isSaving = packs.some((pack) => measureCost(pack).saved > 0)
  return renderFrame(
    { ...list, shown: packs.length, noun: 'pack', ...(isSaving && { key: barKey }) },
    content,
  )
}

function renderCard(pack: PackSummary, search: string): Html {
  const { slug, title, version, published_at, description, lead, tags = [] } = pack
  const about = description ?? lead ?? ''
  const shown = tags.slice(0, MAX_TAGS)
  const around = `${title} ${about}`
  const [domain, difficulty] = [statedField(pack, 'domain'), statedField(pack, 'difficulty')]
  const { prompt, saved } = measureCost(pack)
  return html`<li>
    <div class="pack">
      <h2>
        <a href="/browse/${slug}"
          ><bdi ${renderLangAttribute(title)}>${renderMarked(title, search, 'preview')}</bdi></a
        >
      </h2>
      ${
        about !== '' &&
        html`<p class="about" dir="auto" ${renderLangAttribute(about, title)}>
          ${escapeBidi(cutText(about, MAX_ABOUT))}
        </p>`
      }
      <p class="quiet meta">
        <code class="slug">${slug}</code>
        <span>${version}</span>
        <time datetime="${published_at}">${formatDay(published_at)}</time>
        ${domain !== undefined && html`<bdi ${renderLangAttribute(domain, title)}>${escapeBidi(domain)}</bdi>`}
        ${difficulty !== undefined && html`<span>${difficulty}</span>`}
        ${shown.map((tag) => html`<bdi class="tag" ${renderLangAttribute(tag, around)}>${escapeBidi(cutText(tag, 30))}</bdi>`)}
        ${tags.length > shown.length && html`<span>and ${formatNumber(tags.length - shown.length)} more tags</span>`}
      </p>
    </div>
    <div class="cost">
      ${saved > 0 && renderCostBar(pack)}
      <p><b>${formatNumber(prompt)}</b> tokens in a prompt</p>
      <p class="${saved > 0 ? 'saving' : 'quiet'}">${describeSaving(pack)}</p>
      ${renderAddLink(slug, title)}
    </div>
  </li>`
}

/**
 * Renders the link to the prompt of a pack.
 *
 * @param title for screen readers
 */
export function renderAddLink(slug: string, title: string, label = 'Add to prompt'): Html {
  return html`<a class="add" href="/prompt?pack=${slug}" rel="nofollow"
    >${label}<span class="unseen">: ${escapeBidi(title)}</span></a
  >`
}

function renderDamaged(damaged: readonly DamagedVersion[]): Html {
  return html`<p class="note">
    Not shown because they are damaged: ${damaged.map(({ slug }) => escapeBidi(slug)).join(', ')}. The
    operator can restore them.
  </p>`
}

function renderEmpty({ query, total }: PackList): Html {
  if (total > 0) return renderPastEnd(query)
  if (!isFiltered(query)) {
    return html`<div class="empty">
      <p>The catalog has no packs yet.</p>
      <p>
        To add some, run <code>pack publish FILES</code>. To see what a text of yours would save,
        <a href="/try">try it</a>.
      </p>
    </div>`
  }
  return html`<div class="empty">
    <p>No packs match.</p>
    <p>Try fewer or shorter words, or <a href="/browse">see all packs</a>.</p>
  </div>`
}
