import type { PromptPlan } from '@packs/codec/compress'
import {
  formatCount,
  formatPercent,
  formatTable,
  escapeControls,
  styleNote,
  writeNote,
  writeStyled,
  formatNumber,
} from '../output/terminal.ts'
import type { ComposedSet } from './compose-set.ts'
import type { CliError } from '../cli-error.ts'

/** Says what a prompt costs, and if a header would save something, what it costs both ways. */
export function formatPlans(set: ComposedSet, { sourceTokens: source }: PromptInputs): string[] {
  const { plan, packs, tokens, tokenizer, instructionTokens } = set
  const { texts = 0, together = texts } = plan.costs
  const noun = formatNumber(packs, 'pack')
  const saved = source !== null && tokens < source && formatPercent(100 * (1 - tokens / source))
  const change = source === null ? '' : `${formatCount(source)} → `
  const verdict = source === null ? '.' : saved ? `: ${saved} less.` : ': nothing saved.'
  const instruction = instructionTokens === 0 ? '' : ` and ${instructionTokens} tokens of instruction`
  const less = `${formatPercent(100 * (1 - together / texts))} less`
  const mark = (chosen: PromptPlan, ...notes: readonly string[]): string =>
    [...notes, ...(plan.chosen === chosen ? ['chosen'] : [])].join(', ')
  const rows = [
    ['no header', formatCount(texts), mark('texts')],
    [packs === 1 ? 'its own header' : 'one header for all', formatCount(together), mark('together', less)],
  ]
  return [
    `${noun}, ${change}${formatCount(tokens)} tokens${verdict}`,
    `Counted in ${tokenizer}, with tags${instruction}.`,
    ...(together < texts ? ['', ...formatTable(['plan', '>tokens', ''], rows)] : []),
    ...(together < texts && plan.chosen === 'texts' ? ['A header must save 2 % and 40 tokens.'] : []),
  ]
}

export interface PromptInputs {
  readonly shown: readonly string[]
  /** Packs that have no text. */
  readonly empty?: readonly string[]
  readonly slugs: readonly string[]
  /** Tokens of the sources alone, as stated in the packs; null if counted in another tokenizer. */
  readonly sourceTokens: number | null
}

export function describePrompt(set: ComposedSet, inputs: PromptInputs, isPlan: boolean): unknown {
  const { text, rosetta, terms, links, tokens, tokenizer, plan, packs, shares, notes } = set
  const { shown, empty = [], slugs, sourceTokens } = inputs
  const leftOut = [...shown.slice(packs), ...empty]
  return {
    ok: true,
    ...(!isPlan && { text, rosetta, terms, links }),
    tokens,
    tokenizer,
    instruction_tokens: set.instructionTokens,
    source_tokens: sourceTokens,
    plan: describePlan(plan),
    packs: shown.slice(0, packs).map((file, index) => {
      return { slug: slugs[index], file, tokens: shares[index]?.tokens ?? null }
    }),
    ...(leftOut.length > 0 && { left_out: leftOut }),
    ...(notes.length > 0 && {
      notes: notes.map(({ code, pack, message }) => ({ code, file: shown[pack], message })),
    }),
  }
}

export function describePlan({ chosen, costs }: ComposedSet['plan']): unknown {
  return { chosen, costs: { texts: costs.texts ?? null, together: costs.together ?? null } }
}

const MOST_LINES = 10

export function reportLinks({ links }: ComposedSet): void {
  const count = Object.keys(links).length
  if (count === 0) return
  const noun = count === 1 ? '1 address has a number' : `${formatCount(count)} addresses have numbers`
  say(`${noun}: --links FILE writes them, --links inline puts them into the text`)
}

/** Says which wishes were not followed, and which packs are skipped. */
export function reportNotes({ notes, packs }: ComposedSet, { shown }: PromptInputs): void {
  for (const { pack, message } of notes.slice(0, MOST_LINES)) say(`${shown[pack]}: ${message}`)
  if (notes.length > MOST_LINES) say(`${notes.length - MOST_LINES} more are in --json`)
  const left = shown.slice(packs)
  if (left.length === 0) return
  const names = left.slice(0, MOST_LINES).join(', ')
  const rest = left.length > MOST_LINES ? ` and ${left.length - MOST_LINES} more` : ''
  say(`${packs} of ${shown.length} packs fit; skipped ${names}${rest}`)
}

function say(line: string): void {
  writeStyled(styleNote('dim', escapeControls(`note: ${line}`)))
}

/** Lists the packs that take most of a budget that is too small. */
export function reportShares({ details: { shares = [] } }: CliError): void {
  const largest = shares.toSorted((a, b) => b.tokens - a.tokens).slice(0, MOST_LINES)
  if (largest.length === 0) return
  const rows = largest.map(({ slug, tokens }) => [formatCount(tokens), escapeControls(slug ?? '')])
  const packs = shares.length > MOST_LINES ? `the largest of ${shares.length} packs` : 'pack'
  for (const line of formatTable(['>tokens', packs], rows)) writeNote(line)
}
