import { parseRosetta } from '@packs/codec'
import {
  escapeEntry,
  findOccurrences,
  html,
  type Html,
  markup,
  type Occurrence,
  renderHeaderEntries,
  renderMarked,
  renderTermNote,
  resolveExpansions,
  type TermLinks,
} from '@packs/codec/theme'
import { formatCount, renderLangAttribute } from './display-text.ts'

/** UTF-16 units of a prompt that a page shows; an entry takes as much of the page as so many. */
const MAX_SHOWN = 100_000
const UNITS_PER_ENTRY = 60
const MIN_SHOWN = 40_000
/** Entries that are lit. Longer headers are shown as text. */
const MAX_LIT = 1500
/** Characters that HTML changes, or that are shown by their code points. */
const ALTERED =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\uD800-\uDFFF\u{E0000}-\u{E007F}\u{E0100}-\u{E01EF}]/u
const LINKS: TermLinks = { prefix: '~', isLinked: true }

/** A prompt as a page shows it, in an element with the class `lit` that holds both parts. */
export interface LitPrompt {
  /** Its text content is the prompt if it `isExact`. */
  readonly text: Html
  /** One note for each entry, which is shown while the entry is lit. */
  readonly notes: Html
  readonly entries: number
  /** Whether the element shows all of the prompt, byte for byte. */
  readonly isExact: boolean
  readonly isTruncated: boolean
}

/** Renders a prompt with the places of its terms marked. */
export function renderLitPrompt({
  text,
  rosetta,
}: {
  readonly text: string
  readonly rosetta: string
}): LitPrompt {
  const { entries } = parseRosetta(rosetta)
  const limit = Math.max(MIN_SHOWN, MAX_SHOWN - UNITS_PER_ENTRY * entries.length)
  const isTruncated = text.length > limit
  const shown = isTruncated ? text.slice(0, text.lastIndexOf('\n', limit) + 1 || limit) : text
  // An extended prompt has a second line of entries, which is part of the text.
  const header = /^(.*\n)?(\[DECODE\] .*)\n/.exec(shown)
  const plain = { text: markup`${shown}`, notes: markup``, entries: 0 }
  const rest = { isExact: !isTruncated && !ALTERED.test(text), isTruncated }
  if (entries.length === 0 || entries.length > MAX_LIT || header === null) return { ...plain, ...rest }
  const [, instruction = '', line = ''] = header
  const bodyStart = instruction.length + line.length
  const body = shown.slice(bodyStart)
  let places: Occurrence[]
  let expansions: string[]
  try {
    places = findOccurrences(body, entries)
    expansions = resolveExpansions(body, rosetta)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return { ...plain, ...rest }
  }
  const counts = entries.map(() => 0)
  for (const { entry } of places) counts[entry]! += 1
  const shownEntries = entries.map((entry, at) => ({
    ...escapeEntry(entry),
    resolvedExpansion: expansions[at]!,
  }))
  const order = [...entries.keys()].toSorted((a, b) => counts[b]! - counts[a]!)
  const ranks: number[] = []
  for (const [rank, entry] of order.entries()) ranks[entry] = rank
  const lineEntries = parseRosetta(line).entries.length
  const marks = places.map(({ entry, start, end }) => ({ entry, from: start, to: end }))
  return {
    text: markup`<span class="instruction">${instruction}</span><span class="rosetta" role="region" tabindex="0" aria-label="Header with ${formatCount(lineEntries, 'term')}">[DECODE] ${renderHeaderEntries(shownEntries.slice(0, lineEntries), ranks, LINKS)}</span>${renderBody()}`,
    notes: markup`${order.map((entry, rank) => renderTermNote(shownEntries[entry]!, rank, describePlaces(counts[entry]!), LINKS))}`,
    entries: entries.length,
    ...rest,
  }

  function renderBody(): Html {
    const part = { from: 0, to: body.length, marks }
    const renderText = (from: number, to: number): Html => markup`${body.slice(from, to)}`
    return renderMarked(body, part, { links: LINKS, renderText, rankOf: (entry) => ranks[entry]! })
  }

  function describePlaces(count: number): string {
    return `${formatCount(count, 'place')}${isTruncated ? ' on this page' : ''}`
  }
}

/** A prompt and where all of it can be fetched and downloaded. */
export interface PromptFrame {
  readonly lit: LitPrompt
  readonly tokens: number
  /** Path of the prompt as markdown, with a query. */
  readonly path: string
  /** Text in the language of the prompt, whose terms may look like another. */
  readonly sample: string
  /** A further link beside the buttons, where there is room. */
  readonly more?: Html
}

/**
 * Renders a prompt and the bar that stays in the viewport, with its button to copy and the notes of
 * its terms. The element around both has the class `lit`.
 */
export function renderPrompt({ lit, tokens, path, sample, more }: PromptFrame): Html {
  const download = `${path}${path.includes('?') ? '&' : '?'}download=1`
  return html`${lit.entries > 0 && html`<p class="quiet tip">Point at or tap a marked term to see what it stands for.</p>`}
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
    }
    <div class="dock" id="~dock">
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
        <a class="button" href="${download}">Download <span class="kind">.md</span></a>
        ${more}
      </p>
    </div>`
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

/** Describes what a prompt saves: `saves 16 %, 1,204 tokens`, or that it is the source. */
export function describePromptSaving(tokens: number, sources: number): string {
  const saved = sources - tokens
  if (saved <= 0) return 'sent as it is'
  return `saves ${Math.round((100 * saved) / sources)} %, ${formatCount(saved, 'token')}`
}

/** A way to get a prompt from a program: its name, one line, and where it is described. */
export interface Recipe {
  readonly name: string
  readonly line: string
  readonly about: string
}

export function renderRecipes(recipes: readonly Recipe[]): Html | false {
  if (recipes.length === 0) return false
  return html`<section class="recipes" aria-labelledby="~programs">
    <h2 id="~programs">From a program</h2>
    <p class="quiet">
      Keys are on your <a href="/settings">Settings</a> page; whole packs need the key of a Pro account.
    </p>
    <dl>
      ${recipes.map(
        ({ name, line, about }) =>
          html`<div>
            <dt>${name} <span class="quiet">${about}</span></dt>
            <dd><pre class="code" data-copy>${line}</pre></dd>
          </div>`,
      )}
    </dl>
  </section>`
}
