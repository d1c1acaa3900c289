import type { PromptPlan } from '@packs/codec/compress'
import {
  formatCount,
  formatPercent,
  formatTable,
  escapeControls,
  styleNote,
  writeNote,
} from '../output/terminal.ts'
import type { ComposedSet } from './compose-set.ts'
import type { CliError } from '../cli-error.ts'

const PLANS: readonly PromptPlan[] = ['texts', 'together']

export function formatPlans({ plan, packs, tokenizer, instructionTokens }: ComposedSet): string[] {
  const { chosen, costs } = plan
  const rows = PLANS.flatMap((one) => {
    const tokens = costs[one]
    if (tokens === undefined) return []
    const { texts } = costs
    const saved =
      one === 'texts' || texts === undefined ? '' : formatPercent(texts && 100 * (1 - tokens / texts))
    return [[one, formatCount(tokens), saved, one === chosen ? 'chosen' : '']]
  })
  const instruction = instructionTokens === 0 ? 'no instruction' : `${instructionTokens} for the instruction`
  const noun = packs === 1 ? '1 pack' : `${formatCount(packs)} packs`
  return [
    ...formatTable(['plan', '>tokens', '>saved', ''], rows),
    `${noun} in tokens of ${tokenizer}, tags included, ${instruction}`,
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
  return {
    chosen,
    costs: Object.fromEntries(PLANS.map((plan) => [plan, costs[plan] ?? null])),
  }
}

const MOST_LINES = 10

/** Says why a prompt has no header although one header takes fewer tokens. */
export function reportNoHeader({ plan: { chosen, costs } }: ComposedSet): void {
  const { texts = 0, together = texts } = costs
  if (chosen === 'texts' && together < texts)
    say('a header saves less than 2 % or 40 tokens, so the prompt has none')
}

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
  writeNote(styleNote('dim', escapeControls(`note: ${line}`)))
}

/** Lists the packs that take most of a budget that is too small. */
export function reportShares({ details: { shares = [] } }: CliError): void {
  const largest = shares.toSorted((a, b) => b.tokens - a.tokens).slice(0, MOST_LINES)
  if (largest.length === 0) return
  const rows = largest.map(({ slug, tokens }) => [formatCount(tokens), escapeControls(slug ?? '')])
  const packs = shares.length > MOST_LINES ? `the largest of ${shares.length} packs` : 'pack'
  for (const line of formatTable(['>tokens', packs], rows)) writeNote(line)
}
