import { html, type Html } from '@packs/codec/theme'
import {
  escapeBidi,
  formatCount,
  formatFragment,
  formatNumber,
  renderLangAttribute,
} from '../../html/display-text.ts'
import { renderShareBar } from '../../html/lit-prompt.ts'
import { type FoundPart, selectVisible, type UnknownPart } from './find-parts.ts'
import { formatPromptPath, MAX_PARTS, type PromptQuery } from './parse-prompt-query.ts'
import type { PromptView } from './prompt-view.ts'

/** Renders what is chosen, with what each part costs. */
export function renderChosen({ query, parts, prompt, context, access }: PromptView): Html {
  const { found, unknown } = parts
  const isQuestion = query.q !== undefined
  const all = query.packs.length + query.sections.length
  const fields = html`${query.packs.map((name) => html`<input type="hidden" name="pack" value="${name}" />`)}
  ${query.sections.map((name) => html`<input type="hidden" name="section" value="${name}" />`)}`
  if (all === 0) return html`${fields} ${isQuestion && renderPassages(context)}`
  const visible = selectVisible(parts, access.scope)
  const shares = new Map(visible.map((part, at) => [part, prompt?.shares[at]]))
  const total = prompt?.tokens ?? 1
  const rest = prompt === undefined ? 0 : prompt.tokens - prompt.shares.reduce((sum, share) => sum + share, 0)
  const clear = formatPromptPath({ ...query, packs: [], sections: [] })
  return html`${fields}
    <p class="found-head">
      <span class="label">${isQuestion ? 'Only from' : 'In this prompt'}</span>
      <a class="clear" href="${clear}" data-key="clear-all">Remove all</a>
    </p>
    <ol class="parts">
      ${found.map((part) => html`<li>${renderPart(part, shares.get(part), total, query, !isQuestion && visible.includes(part))}</li>`)}
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
    ${isQuestion && renderPassages(context)}
    ${all > MAX_PARTS && html`<p class="note">A prompt has at most ${MAX_PARTS} packs and sections. Remove ${all - MAX_PARTS} to compose it.</p>`}`
}

/** Lists where the passages that answer a question come from. */
function renderPassages(context: PromptView['context']): Html | false {
  const { passages = [] } = context ?? {}
  if (passages.length === 0) return false
  return html`<h2 class="label">${formatCount(passages.length, 'passage')}</h2>
    <ol class="passages">
      ${passages.map(({ pack: { slug }, sections: [first], path, tokens }) => {
        const heading = path.at(-1) ?? slug
        return html`<li>
          <a href="/browse/${slug}${formatFragment(first?.id ?? '')}"
            ><bdi ${renderLangAttribute(heading)}>${escapeBidi(heading)}</bdi></a
          >
          <span class="quiet"><span>${slug}</span> <span>${formatCount(tokens, 'token')}</span></span>
        </li>`
      })}
    </ol>`
}

function renderPart(
  { kind, name, version, section }: FoundPart,
  tokens: number | undefined,
  total: number,
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
    return renderTool(change(names), `Move ${escapeBidi(title)} ${label}`, `${label} ${name}`, sign)
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
      ${renderTool(change(list.filter((other) => other !== name)), `Remove ${escapeBidi(heading)}`, `remove ${name}`, '×')}
    </p>
    ${tokens !== undefined && html`<p class="part-cost">${renderShareBar(tokens, total, 'part')} <b>${formatNumber(tokens)}</b></p>`}
    ${!isVisible && query.q === undefined && html`<p class="quiet part-locked">Beyond the preview, so it is not in the prompt.</p>`}`
}

/** @param key tells the script which link this is after an update */
function renderTool(path: string, label: string, key: string, sign: string): Html {
  return html`<a class="tool" href="${path}" rel="nofollow" aria-label="${label}" data-key="${key}"
    ><span aria-hidden="true">${sign}</span></a
  >`
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
      ${renderTool(replace(undefined), `Remove ${escapeBidi(name)}`, `remove ${name}`, '×')}
    </p>`
}
