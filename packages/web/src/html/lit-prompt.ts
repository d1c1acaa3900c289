import type { LinkForm } from '@packs/codec/internal'
import { html, type Html, type LitPrompt } from '@packs/theme'
import { formatCount, renderLangAttribute } from './display-text.ts'

interface PromptFrame {
  readonly lit: LitPrompt
  /** Tokens of what is copied. */
  readonly tokens: number
  /** Path of the prompt as markdown, with a query. */
  readonly path: string
  /** Text in the language of the prompt, whose terms may look like another. */
  readonly sample: string
  /** A further link beside the button. */
  readonly more?: Html
}

/** UTF-16 units of a text that its box may cut off. */
const MAX_SHORT = 1200

/** Renders the bar that copies a prompt, and its text; the element around has the class `lit`. */
export function renderPrompt({ lit, tokens, path, sample, more }: PromptFrame): Html {
  const download = `${path}${path.includes('?') ? '&' : '?'}download=1`
  const isLong = lit.text.toString().length > MAX_SHORT
  return html`<div class="dock" id="~dock" tabindex="-1">
      <div class="notes">${lit.notes}</div>
      <p class="dock-row">
        <button
          type="button"
          class="copy primary"
          hidden
          ${lit.isExact ? html`data-copy-target="~prompt"` : html`data-copy-url="${path}"`}
        >
          Copy ${formatCount(tokens, 'token')}
        </button>
        ${more}
      </p>
    </div>
    ${lit.entries > 0 && html`<p class="quiet tip">Point at or tap what is marked to see what it stands for.</p>`}
    <pre
      class="prompt-text"
      id="~prompt"
      tabindex="0"
      role="region"
      aria-label="Text of the prompt"
      dir="auto"
      ${renderLangAttribute(sample)}
    >
${lit.text}</pre>
    <p class="below-text">
      ${
        isLong &&
        html`<label class="show-all"
          ><input type="checkbox" autocomplete="off" /> Show all of the text</label
        >`
      }
      <a href="${download}">Download <span class="kind">.md</span></a>
    </p>
    ${
      lit.isTruncated &&
      html`<p class="note">
        This page shows only the beginning of the prompt. Copy and <a href="${download}">Download</a> take all
        of it.
      </p>`
    }`
}

/** Renders choices as links, the one in use marked, with what that means. */
export function renderChoices(
  label: string,
  choices: readonly { readonly name: string; readonly path: string; readonly isCurrent: boolean }[],
  note: Html,
): Html {
  return html`<div class="choices">
    <p id="~${label}">${label}</p>
    <ul aria-labelledby="~${label}">
      ${choices.map(
        ({ name, path, isCurrent }) =>
          html`<li>
            <a href="${path}" rel="nofollow" ${isCurrent && html`aria-current="true"`}>${name}</a>
          </li>`,
      )}
    </ul>
    <p class="choice-note">${note}</p>
  </div>`
}

/** What people call each form of links, and what it does. */
const linkWords: Readonly<Record<LinkForm, readonly [name: string, meaning: string]>> = {
  drop: ['Words only', 'a link keeps its words and loses its address'],
  inline: ['With addresses', 'a link is as in the source'],
  number: ['Numbered', 'a link has a number, which a program turns back into its address'],
}

export const LINK_FORMS = Object.keys(linkWords) as readonly LinkForm[]
/** The form of pages and files whose URL names none. */
export const DEFAULT_LINKS: LinkForm = 'drop'

/** @param format the path of the page in a form */
export function renderLinkForms(current: LinkForm, format: (form: LinkForm) => string): Html {
  const choices = LINK_FORMS.map((form) => ({
    name: linkWords[form][0],
    path: format(form),
    isCurrent: form === current,
  }))
  const [name, meaning] = linkWords[current]
  return renderChoices('Links', choices, html`${name}: ${meaning}.`)
}

/** A way to get a prompt from a program: its name, what it gives, and its lines. */
export interface Recipe {
  readonly name: string
  readonly line: string
  readonly about: string
}

/** Renders them as tabs, which work without a script. */
export function renderRecipes(recipes: readonly Recipe[], seesWhole: boolean): Html | false {
  if (recipes.length === 0) return false
  return html`<fieldset class="recipes">
    <legend>From a program</legend>
    <p class="quiet">
      <a href="/settings">Get a key</a>${!seesWhole && '; whole packs need one of a Pro account'}.
    </p>
    ${recipes.map(
      ({ name, line, about }, at) =>
        html`<input
            type="radio"
            class="unseen"
            name="recipe"
            id="~recipe-${at}"
            autocomplete="off"
            ${at === 0 && html`checked`}
          />
          <label for="~recipe-${at}">${name}</label>
          <div>
            <p class="quiet">${about}</p>
            <pre class="code" tabindex="0" data-copy>${line}</pre>
          </div>`,
    )}
  </fieldset>`
}
