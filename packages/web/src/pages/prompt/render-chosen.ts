import { html, type Html } from '@packs/codec/theme'
import { escapeBidi, formatFragment, formatNumber, renderLangAttribute } from '../../html/display-text.ts'
import { renderShareBar } from '../../html/lit-prompt.ts'
import { type FoundPart, selectVisible, type UnknownPart } from './find-parts.ts'
import { formatPromptPath, MAX_PARTS, type PromptQuery } from './parse-prompt-query.ts'
import type { PromptView } from './prompt-view.ts'

/** Renders what is chosen, with what each part costs. */
export function renderChosen({ query, parts, prompt, access }: PromptView): Html {
  const { found, unknown } = parts
  const isQuestion = query.q !== undefined
  const all = query.packs.length + query.sections.length
  const fields = html`${query.packs.map((name) => html`<input type="hidden" name="pack" value="${name}" />`)}
  ${query.sections.map((name) => html`<input type="hidden" name="section" value="${name}" />`)}`
  if (all === 0)
    return html`${fields}
    ${!isQuestion && html`<p class="quiet empty-parts">Nothing is chosen yet. Search above, or begin with one of the packs.</p>`}`
  const visible = selectVisible(parts, access.scope)
  const shares = new Map(visible.map((part, at) => [part, prompt?.shares[at]]))
  const most = Math.max(1, ...(prompt?.shares ?? []))
  const rest = prompt === undefined ? 0 : prompt.tokens - prompt.shares.reduce((sum, share) => sum + share, 0)
  const clear = formatPromptPath({ ...query, packs: [], sections: [] })
  return html`${fields}
    <p class="found-head">
      <span class="label">${isQuestion ? 'Only from' : 'In this prompt'}</span>
      <a class="clear" href="${clear}" data-key="clear-all">Remove all</a>
    </p>
    <ol class="parts">
      ${found.map((part) => html`<li>${renderPart(part, shares.get(part), most, query, !isQuestion && visible.includes(part))}</li>`)}
      ${unknown.map((part) => html`<li class="unknown">${renderUnknown(part, query)}</li>`)}
    </ol>
    ${
      !isQuestion &&
      rest > 0 &&
      prompt?.rosetta !== '[DECODE]' &&
      html`<p class="part-rest">
        <span>Instruction and terms, shared by all</span> <b>${formatNumber(rest)}</b>
      </p>`
    }
    ${all > MAX_PARTS && html`<p class="note">A prompt has at most ${MAX_PARTS} packs and sections. Remove ${all - MAX_PARTS} to compose it.</p>`}`
}

function renderPart(
  { kind, name, version, section }: FoundPart,
  tokens: number | undefined,
  most: number,
  query: PromptQuery,
  isVisible: boolean,
): Html {
  const { slug, title } = version
  const list = kind === 'pack' ? query.packs : query.sections
  const at = list.indexOf(name)
  const change = (names: readonly string[]): string =>
    formatPromptPath({ ...query, [kind === 'pack' ? 'packs' : 'sections']: names })
  const move = (by: number, label: string, sign: string): Html => {
    const other = at + by < 0 ? undefined : list[at + by]
    if (other === undefined) return html`<span class="tool" aria-hidden="true"></span>`
    const names = list.with(at, other).with(at + by, name)
    return html`<a
      class="tool"
      href="${change(names)}"
      rel="nofollow"
      aria-label="Move ${escapeBidi(title)} ${label}"
      data-key="${label} ${name}"
      ><span aria-hidden="true">${sign}</span></a
    >`
  }
  const heading = section === undefined ? title : section.path.at(-1) || section.title || 'Beginning'
  const link = `/browse/${slug}${section === undefined ? '' : formatFragment(section.id)}`
  return html`<div class="part-name">
      <a href="${link}"><bdi ${renderLangAttribute(heading, title)}>${escapeBidi(heading)}</bdi></a>
      <span class="quiet"
        >${section !== undefined && html`section of `}${slug}
        ${version.version}${version.yanked && ', yanked'}</span
      >
    </div>
    <p class="tools">
      ${list.length > 1 && html`${move(-1, 'up', '↑')}${move(1, 'down', '↓')}`}
      <a
        class="tool"
        href="${change(list.filter((other) => other !== name))}"
        rel="nofollow"
        aria-label="Remove ${escapeBidi(heading)}"
        data-key="remove ${name}"
        ><span aria-hidden="true">×</span></a
      >
    </p>
    ${tokens !== undefined && html`<p class="part-cost">${renderShareBar(tokens, most, 'part')} <b>${formatNumber(tokens)}</b></p>`}
    ${!isVisible && query.q === undefined && html`<p class="quiet part-locked">Beyond the preview, so it is not in the prompt.</p>`}`
}

function renderUnknown({ name, problem, similar }: UnknownPart, query: PromptQuery): Html {
  const isSection = query.sections.includes(name)
  const replace = (other: string | undefined): string => {
    const swap = (names: readonly string[]): readonly string[] =>
      names.flatMap((own) => (own === name ? (other ?? []) : own))
    return formatPromptPath({
      ...query,
      packs: isSection ? query.packs : swap(query.packs),
      sections: isSection ? swap(query.sections) : query.sections,
    })
  }
  return html`<div class="part-name">
      <span class="refusal">${escapeBidi(problem)}</span>
      ${
        similar.length > 0 &&
        html`<span class="quiet"
          >Did you mean
          ${similar.map((other, at) => html`${at > 0 && ', '}<a href="${replace(other)}" rel="nofollow" data-key="similar ${other}">${escapeBidi(other)}</a>`)}?</span
        >`
      }
    </div>
    <p class="tools">
      <a
        class="tool"
        href="${replace(undefined)}"
        rel="nofollow"
        aria-label="Remove ${escapeBidi(name)}"
        data-key="remove ${name}"
        ><span aria-hidden="true">×</span></a
      >
    </p>`
}
