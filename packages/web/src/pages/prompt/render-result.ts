import { html, type Html } from '@packs/codec/theme'
import { formatCount, formatNumber } from '../../html/display-text.ts'
import {
  describePromptSaving,
  type Recipe,
  renderLitPrompt,
  renderPrompt,
  renderRecipes,
  renderShareBar,
} from '../../html/lit-prompt.ts'
import type { PagePrompt } from '../../prompts/compose-page-prompt.ts'
import { formatSignInPath } from '../../security/cross-site-protection.ts'
import { describeExceededQuota } from '../pack/decide-access.ts'
import { renderProHint } from '../page.ts'
import type { SiteFacts } from '../page.ts'
import type { FoundPart } from './find-parts.ts'
import { formatPromptPath } from './parse-prompt-query.ts'
import type { PromptView } from './prompt-view.ts'

/** Renders the answer of the form: the total, the prompt, and how programs get it. */
export function renderResult(view: PromptView, site: SiteFacts): Html {
  const { prompt, context, failure, query, parts } = view
  if (failure !== undefined)
    return html`<div class="note note-bad">
      <p><b>${failure.message}.</b> ${failure.hint}</p>
      <p><a class="button" href="${formatPromptPath(query)}">Try again</a></p>
    </div>`
  if (context !== undefined) return html`${renderLimits(view, site)} ${renderContext(view, context, site)}`
  if (prompt === undefined) {
    const isLocked = parts.found.length > 0 && view.access.scope === 'preview'
    return html`${isLocked && renderLimits(view, site)}
      <div class="empty">
        <p>
          ${query.q === undefined ? 'Here you will see the prompt and its tokens.' : 'Here you will see the passages that answer your question.'}
        </p>
        <p class="quiet">The address of this page holds your choice, so you can keep or share it.</p>
      </div>`
  }
  const { budget } = query
  const over = budget === undefined ? 0 : prompt.tokens - budget
  return html`${renderLimits(view, site)} ${renderTotal(prompt, budget)}
  ${prompt.isMixed && html`<p class="note">These packs were built for different tokenizers, so they are counted in ${prompt.tokenizer}.</p>`}
  ${prompt.isTooLarge && html`<p class="note">These texts are too large to compress together here, so the packs are as they were built.</p>`}
  ${
    over > 0
      ? html`<p class="note note-bad">
          This prompt takes ${formatCount(prompt.tokens, 'token')}, ${formatNumber(over)} more than the budget
          of ${formatNumber(budget!)}. Remove a part, choose a denser scheme, or
          <a href="${formatPromptPath({ ...query, budget: undefined })}" data-key="no-budget"
            >drop the budget</a
          >.
        </p>`
      : renderText(view, prompt)
  }
  ${
    prompt.notes.length > 0 &&
    html`<details class="notices quiet">
      <summary>${formatCount(prompt.notes.length, 'notice')} of the composer</summary>
      ${prompt.notes.map((note) => html`<p>${note}</p>`)}
    </details>`
  }
  ${renderRecipes(listRecipes(view, site))}`
}

function renderTotal({ tokens, sources, tokenizer, chosen }: PagePrompt, budget: number | undefined): Html {
  const plan = {
    sources: 'as plain text',
    asBuilt: 'with the terms of the packs',
    together: 'compressed together',
  }[chosen]
  return html`<div class="paid">
    <p>
      <b class="paid-tokens">${formatCount(tokens, 'token')}</b>
      ${tokens !== sources && html`<span>sources ${formatCount(sources, 'token')}</span>`}
      <span class="${tokens < sources ? 'saving' : 'quiet'}">${describePromptSaving(tokens, sources)}</span>
    </p>
    ${renderShareBar(tokens, sources)}
    <p class="quiet">
      With instruction and terms, ${plan}. Tokenizer
      ${tokenizer}.${budget !== undefined && tokens <= budget && ` ${formatCount(budget - tokens, 'token')} of the budget are left.`}
    </p>
  </div>`
}

function renderText(
  { query, access, parts }: PromptView,
  prompt: Pick<PagePrompt, 'text' | 'rosetta' | 'tokens'>,
): Html {
  const { tokens } = prompt
  const titles = parts.found.map(({ version }) => version.title).join(' ')
  const listNames = (kind: FoundPart['kind']): readonly string[] =>
    parts.found.flatMap((part) => (part.kind === kind ? part.name : []))
  const named = { ...query, packs: listNames('pack'), sections: listNames('section'), find: '' }
  const path = formatPromptPath(named, '/prompt.md') + (access.scope === 'full' ? '&full=1' : '')
  return renderPrompt({ lit: renderLitPrompt(prompt), tokens, path, sample: query.q ?? titles })
}

/** Says why there are only previews, and what to do about it. */
function renderLimits({ access, viewer, now, query }: PromptView, { contact }: SiteFacts): Html | false {
  if (access.scope === 'full') return false
  if (access.reason === 'quota-exceeded') {
    const { reason, hint } = describeExceededQuota(access.state, now)
    return html`<p class="note">Only previews are used. ${reason}. ${hint}</p>`
  }
  const what =
    query.q === undefined
      ? 'Only the preview of each pack is used; Pro composes whole packs.'
      : 'Only previews are searched; Pro answers from whole packs.'
  return html`<p class="note">
    ${what} ${renderProHint(contact)}
    ${viewer.account === undefined && html`<a href="${formatSignInPath('/prompt')}">Sign in</a> if you have one.`}
  </p>`
}

function renderContext(
  view: PromptView,
  { text, tokens, passages, omitted, corrected, needed }: NonNullable<PromptView['context']>,
  site: SiteFacts,
): Html {
  const { query, access } = view
  if (needed !== null)
    return html`<p class="note note-bad">
      No passage fits ${formatCount(query.budget!, 'token')}: the smallest takes ${formatNumber(needed)}.
      <a
        href="${formatPromptPath({ ...query, budget: Math.min(16_000, Math.max(2000, needed)) })}"
        data-key="raise"
        >Raise the budget</a
      >.
    </p>`
  if (passages.length === 0)
    return html`<div class="empty">
      <p>Nothing answers this question${access.scope === 'preview' && ' in the previews'}.</p>
      <p class="quiet">
        Try fewer or other words, or
        <a href="${formatPromptPath({ ...query, q: undefined, budget: undefined })}">choose packs yourself</a
        >.
      </p>
    </div>`
  const locked = omitted.filter(({ reason }) => reason === 'locked').length
  return html`<div class="paid">
      <p>
        <b class="paid-tokens">${formatCount(tokens, 'token')}</b>
        <span
          >${formatCount(passages.length, 'passage')} within the budget of
          ${formatNumber(query.budget!)}</span
        >
      </p>
      ${renderShareBar(tokens, query.budget!, 'part')}
      ${
        corrected !== null &&
        html`<p class="quiet">
          Answers to <b dir="auto"><bdi>${corrected}</bdi></b
          >.
        </p>`
      }
      ${access.reason === 'pro' && html`<p class="quiet">A question counts as ${formatCount(Math.ceil(query.budget! / 4000), 'request')}. You have ${formatNumber(access.state.remaining)} left today.</p>`}
    </div>
    ${locked > 0 && html`<p class="quiet">${formatCount(locked, 'more section')} beyond the previews ${locked === 1 ? 'matches' : 'match'}.</p>`}
    ${renderText(view, { text, rosetta: '[DECODE]', tokens })} ${renderRecipes(listRecipes(view, site))}`
}

/** Lists the programs that give the same prompt. */
function listRecipes({ query, parts, prompt }: PromptView, { baseUrl }: SiteFacts): readonly Recipe[] {
  const { q, budget, tokenizer } = query
  const scheme = prompt?.isTooLarge ? 'as-built' : query.scheme
  const search = new URLSearchParams()
  const curl = (path: string, about: string): Recipe => ({
    name: 'curl',
    about,
    line: `curl -H "x-api-key: $PACK_KEY" -H "accept: text/markdown" "${baseUrl}/api/v1/${path}?${search.toString().replaceAll('%40', '@')}"`,
  })
  if (q !== undefined) {
    search.set('q', q)
    search.set('budget', String(budget))
    for (const { version } of parts.found) search.append('pack', version.slug)
    if (tokenizer !== '') search.set('tokenizer', tokenizer)
    return [curl('context', 'the same passages')]
  }
  // Neither program takes sections.
  if (query.sections.length > 0 || parts.found.length === 0) return []
  const names = parts.found.map(({ name, version }) =>
    name.includes('@') ? `${version.slug}@${version.version}` : version.slug,
  )
  for (const name of names) search.append('pack', name)
  if (scheme !== '' && scheme !== 'as-built') search.set('scheme', scheme)
  if (tokenizer !== '') search.set('tokenizer', tokenizer)
  if (budget !== undefined) search.set('budget', String(budget))
  const options = [
    scheme === 'as-built' ? '--as-built' : scheme !== '' && `--scheme ${scheme}`,
    tokenizer !== '' && `--tokenizer ${tokenizer}`,
    budget !== undefined && `--budget ${budget}`,
  ].filter(Boolean)
  const slugs = parts.found.map(({ version }) => version.slug)
  const local: Recipe = {
    name: 'pack prompt',
    about: 'on your machine, verified and pinned in packs.lock',
    line: `pack add ${names.join(' ')} --url ${baseUrl}\npack prompt ${[...slugs, ...options].join(' ')}`,
  }
  return [local]
}
