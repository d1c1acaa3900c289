import { MAX_DESCRIPTION, MAX_TAGS } from '@packs/codec/pack'
import { html, type Html } from '@packs/theme'
import { escapeBidi, formatCount, formatDay, renderLangAttribute } from '../../html/display-text.ts'
import { describeSaving, measureCost } from '../../html/pack-figures.ts'
import { statedField } from '../../html/stated-fields.ts'
import type { OpenedPack } from './open-pack.ts'
import { renderAbout } from './pack-about.ts'
import { renderCost, renderTrust } from './pack-side.ts'

/** The pages of a pack. */
export type PackTab = 'read' | 'use' | 'versions'

/** What a page of a pack adds to the shared parts. */
interface ShellParts {
  /** Beginning of the text, which tells its language. */
  readonly sample?: string
  /** Cards below those of all pages. */
  readonly side?: Html | false
  /** Contents list, beside the text. */
  readonly contents?: Html | false
  /** Whether the viewer gets only the preview, so that the costs are of more than is shown. */
  readonly isPreview?: boolean
}

/**
 * Renders what all pages of a pack share around `main`: its title, the links to its pages, the
 * column beside it, and the bar that leads to its prompt. Ids begin with `~`, unlike those of
 * sections.
 */
export function renderPackShell(
  opened: OpenedPack,
  tab: PackTab,
  main: Html,
  { sample = '', side, contents, isPreview = false }: ShellParts = {},
): Html {
  const { version, path } = opened
  const { title } = version
  const around = `${title} ${sample}`
  const link = (name: PackTab, target: string, text: string): Html =>
    html`<li><a href="${target}" ${name === tab && html`aria-current="page"`}>${text}</a></li>`
  return html`<div class="lead pack-lead">
      ${renderCrumbs(opened, around)}
      <h1><bdi ${renderLangAttribute(title, around)}>${escapeBidi(title)}</bdi></h1>
      ${renderAbout(version, { characters: MAX_DESCRIPTION, tags: MAX_TAGS })}
      <p class="quiet meta">
        ${statedField(version, 'difficulty') !== undefined && html`<span class="chip">${version.difficulty}</span>`}
        <span>Version ${version.version}</span>
        <time datetime="${version.published_at}">${formatDay(version.published_at)}</time>
        ${tab !== 'use' && renderCostLine(opened, 'meta-cost', isPreview, describeSaving(version).replace(/,.*/, ''))}
      </p>
      ${renderNotice(opened)}
      <nav class="tabs" aria-label="Pages of this pack">
        <ul>
          ${link('read', path, 'Read')} ${link('use', `${path}/use`, 'Use')}
          ${link('versions', `/browse/${version.slug}/versions`, 'Versions')}
        </ul>
      </nav>
    </div>
    <div class="columns${contents && ' with-contents'}">
      ${contents} ${main}
      <div class="side">${tab !== 'use' && renderCost(opened, isPreview)} ${side} ${renderTrust(opened)}</div>
    </div>
    ${tab !== 'use' && renderUseBar(opened, isPreview)}`
}

function renderCrumbs({ version }: OpenedPack, around: string): Html {
  const name = (text: string): Html =>
    html`<bdi ${renderLangAttribute(text, around)}>${escapeBidi(text)}</bdi>`
  const separator = html` <span aria-hidden="true">›</span> `
  return html`<p class="crumbs">
    <a href="/browse">Browse</a>
    ${statedField(version, 'domain') !== undefined && html`${separator}<a href="/browse?domain=${version.domain_slug}">${name(version.domain)}</a>`}
    ${statedField(version, 'subdomain') !== undefined && html`${separator}${name(version.subdomain)}`}
  </p>`
}

function renderUseBar(opened: OpenedPack, isPreview: boolean): Html {
  const {
    version: { slug, version },
    path,
    isExact,
  } = opened
  const name = isExact ? `${slug}@${version}` : slug
  return html`<div class="use-bar">
    <a class="button primary" href="${path}/use">Use in a prompt</a>
    <a class="button" href="/prompt?pack=${name}">Add to prompt</a>
    ${renderCostLine(opened, 'use-cost', isPreview)}
  </div>`
}

/** The cost in one line, for where the card with all figures is not in sight. */
function renderCostLine(
  { version }: OpenedPack,
  name: string,
  isPreview: boolean,
  saving = describeSaving(version),
): Html {
  const { prompt, saved } = measureCost(version)
  return html`<span class="${name}"
    >${isPreview ? 'The whole pack costs' : 'Costs'} <b>${formatCount(prompt, 'token')}</b>
    <span class="${saved > 0 ? 'saving' : ''}">${saving}</span></span
  >`
}

/** Tells that the page shows an earlier or a yanked version. */
function renderNotice({ version, isExact, versions }: OpenedPack): Html | false {
  const { slug, yanked, yanked_reason: reason } = version
  const latest = versions.find((line) => !line.yanked)
  const isOld = isExact && latest !== undefined && latest.version !== version.version
  if (!yanked && !isOld) return false
  return html`<p class="note">
    ${yanked && html`Version ${version.version} was yanked: <bdi>${escapeBidi(reason ?? '')}</bdi>.`}
    ${!yanked && `This is version ${version.version}, not the latest one.`}
    ${latest !== undefined && html`<a href="/browse/${slug}">Go to version ${latest.version}</a>`}
  </p>`
}
