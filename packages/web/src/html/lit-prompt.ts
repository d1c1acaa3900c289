import { html, type Html, type LitPrompt } from '@packs/theme'
import { formatCount, renderLangAttribute } from './display-text.ts'
import { formatShare } from './pack-figures.ts'

interface PromptFrame {
  readonly lit: LitPrompt
  /** Tokens of what is copied. */
  readonly tokens: number
  /** Whether links are numbered, so that a copy has their addresses, or none. */
  readonly isNumbered?: boolean
  /** Path of the prompt as markdown, with a query. Its links have their addresses in place. */
  readonly path: string
  /** Text in the language of the prompt, whose terms may look like another. */
  readonly sample: string
  /** A further link beside the buttons, where there is room. */
  readonly more?: Html
}

/** UTF-16 units of a text that its box may cut off. */
const MAX_SHORT = 1200

/** Renders the bar that copies a prompt, and its text; the element around has the class `lit`. */
export function renderPrompt({ lit, tokens, isNumbered = false, path, sample, more }: PromptFrame): Html {
  const add = (field: string): string => `${path}${path.includes('?') ? '&' : '?'}${field}`
  const download = add('download=1')
  const isLong = lit.text.toString().length > MAX_SHORT
  return html`<div class="dock" id="~dock" tabindex="-1">
      <div class="notes">${lit.notes}</div>
      <p class="dock-row">
        <button
          type="button"
          class="copy primary"
          hidden
          ${lit.isExact && !isNumbered ? html`data-copy-target="~prompt"` : html`data-copy-url="${path}"`}
        >
          Copy ${formatCount(tokens, 'token')}
        </button>
        ${
          isNumbered &&
          html`<button type="button" class="copy" hidden data-copy-url="${add('links=drop')}">
            Copy without addresses
          </button>`
        }
        <a class="button wide-only" href="${download}">Download <span class="kind">.md</span></a>
        ${more}
      </p>
    </div>
    ${lit.entries > 0 && html`<p class="quiet tip">Point at or tap a marked term${isNumbered && ' or number'} to see what it stands for.</p>`}
    ${
      isLong &&
      html`<label class="show-all"><input type="checkbox" autocomplete="off" /> Show all of the text</label>`
    }
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
    ${
      lit.isTruncated &&
      html`<p class="note">
        This page shows only the beginning of the prompt. Copy and <a href="${download}">Download</a> take all
        of it.
      </p>`
    }`
}

const WIDTH = 1000

/** Renders tokens beside what they save of a whole, or as a part of it. */
export function renderShareBar(tokens: number, whole: number, kind: 'saving' | 'part' = 'saving'): Html {
  const width = Math.round((WIDTH * tokens) / Math.max(1, whole, tokens))
  return html`<svg
    class="share share-${kind}"
    viewBox="0 0 ${WIDTH} 8"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    <rect class="share-paid" width="${width}" height="8"></rect>
    ${width < WIDTH && html`<rect class="share-saved" x="${width}" width="${WIDTH - width}" height="8"></rect>`}
  </svg>`
}

/** Describes what a prompt saves: `saves 16.0 %, 1,204 tokens`, or that it is the source. */
export function describePromptSaving(tokens: number, sources: number): string {
  const saved = sources - tokens
  if (saved <= 0) return 'sent as it is'
  return `saves ${formatShare(saved / sources)}, ${formatCount(saved, 'token')}`
}

/** A way to get a prompt from a program: its name, what it gives, and its lines. */
export interface Recipe {
  readonly name: string
  readonly line: string
  readonly about: string
}

/** Renders them as tabs, which work without a script. */
export function renderRecipes(recipes: readonly Recipe[]): Html | false {
  if (recipes.length === 0) return false
  return html`<fieldset class="recipes">
    <legend>From a program</legend>
    <p class="quiet"><a href="/settings">Get a key</a>; whole packs need one of a Pro account.</p>
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
            <pre class="code" data-copy>${line}</pre>
          </div>`,
    )}
  </fieldset>`
}
