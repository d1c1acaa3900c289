import { html, type Html } from '@packs/codec/theme'
import { tokenizerNames } from '@packs/codec/tokens'
import { formatNumber } from '../../html/display-text.ts'
import type { SiteFacts } from '../page.ts'
import {
  formatPromptPath,
  MAX_CONTEXT,
  MAX_WORDS,
  MIN_CONTEXT,
  type PromptQuery,
  schemeChoices,
} from './parse-prompt-query.ts'
import type { PromptView } from './prompt-view.ts'
import { renderChosen } from './render-chosen.ts'
import { type PartSearch, renderFound } from './render-found.ts'
import { renderResult } from './render-result.ts'

/**
 * Renders the form and its answer. Every action is a link or a button of the form, so that it works
 * without a script; the script replaces the elements with `data-live`.
 */
export function renderBuilder(view: PromptView, search: PartSearch, site: SiteFacts): Html {
  const { query } = view
  const isQuestion = query.q !== undefined
  const tab = (q: string | undefined, name: string): Html =>
    html`<li>
      <a
        href="${formatPromptPath({ ...query, q, budget: undefined })}"
        ${isQuestion === (q !== undefined) && html`aria-current="page"`}
        >${name}</a
      >
    </li>`
  return html`<div class="lead compose-lead">
      <h1>Compose a prompt</h1>
      <p class="quiet">
        ${isQuestion ? 'Ask a question, and paste the passages that answer it into your prompt.' : 'Choose packs and sections, and see what each of them costs in one prompt that shares its terms.'}
      </p>
      <nav class="tabs" aria-label="What the prompt is made of" id="~tabs" data-live>
        <ul>
          ${tab(undefined, 'Packs')} ${tab(query.q ?? '', 'Question')}
        </ul>
      </nav>
    </div>
    <div class="compose lit" id="~compose">
      <form class="builder" action="/prompt" method="get" id="~form">
        ${isQuestion ? renderQuestion(query, view.context !== undefined) : renderSearch(query)}
        ${!isQuestion && html`<div id="~found" data-live>${renderFound(query, search)}</div>`}
        <div id="~chosen" data-live tabindex="-1">${renderChosen(view)}</div>
        ${renderOptions(query)}
      </form>
      <section class="result" aria-labelledby="~result-title">
        <h2 id="~result-title" class="label">Prompt</h2>
        <p class="recomputing quiet" role="status" id="~status"></p>
        <div id="~result" data-live>${renderProblems(view)} ${renderResult(view, site)}</div>
      </section>
    </div>`
}

function renderSearch({ find }: PromptQuery): Html {
  return html`<div class="field">
    <label for="~find">Add packs and sections</label>
    <div class="with-button">
      <input
        id="~find"
        name="find"
        type="search"
        maxlength="${MAX_WORDS}"
        value="${find}"
        placeholder="Words or a title"
        autocomplete="off"
      />
      <button>Search</button>
    </div>
  </div>`
}

function renderQuestion({ q = '' }: PromptQuery, isAnswered: boolean): Html {
  return html`<div class="field">
    <label for="~q">Question</label>
    <div class="with-button">
      <input
        id="~q"
        name="q"
        type="search"
        maxlength="${MAX_WORDS}"
        value="${q}"
        placeholder="How do I rotate a certificate?"
        autocomplete="off"
      />
      <button ${!isAnswered && html`class="primary"`}>Ask</button>
    </div>
  </div>`
}

const SCHEME_NAMES: Readonly<Record<(typeof schemeChoices)[number], string>> = {
  '': 'Cheapest',
  'as-built': 'As the packs were built',
  none: 'none, plain text',
  'glossary-1': 'glossary-1, acronyms',
  'dense-1': 'dense-1',
  'max-1': 'max-1, densest',
}

function renderOptions({ scheme, tokenizer, budget, q }: PromptQuery): Html {
  const isQuestion = q !== undefined
  const option = (value: string, name: string, chosen: string): Html =>
    html`<option value="${value}" ${value === chosen && 'selected'}>${name}</option>`
  return html`<fieldset class="options">
    <legend class="label">Options</legend>
    ${
      !isQuestion &&
      html`<p class="field wide">
        <label for="~scheme">Scheme</label>
        <select id="~scheme" name="scheme">
          ${schemeChoices.map((value) => option(value, SCHEME_NAMES[value], scheme))}
        </select>
      </p>`
    }
    <p class="field">
      <label for="~tokenizer">Tokenizer</label>
      <select id="~tokenizer" name="tokenizer">
        ${option('', isQuestion ? 'o200k_base' : 'Automatic', tokenizer)}
        ${tokenizerNames.filter((name) => !isQuestion || name !== 'o200k_base').map((name) => option(name, name, tokenizer))}
      </select>
    </p>
    <p class="field">
      <label for="~budget">Budget <span class="quiet">tokens</span></label>
      <input
        id="~budget"
        name="budget"
        inputmode="numeric"
        value="${budget}"
        placeholder="no limit"
        autocomplete="off"
      />
      ${isQuestion && html`<span class="quiet">${MIN_CONTEXT} to ${formatNumber(MAX_CONTEXT)}</span>`}
    </p>
    <p class="update"><button>Update</button></p>
  </fieldset>`
}

function renderProblems({ query }: PromptView): Html | false {
  return query.problems.length > 0 && html`<p class="note">${query.problems.map((text) => `${text} `)}</p>`
}
