import {
  type ArmCall,
  type ArmPrompts,
  composeArms,
  type Document,
  restoreDocuments,
} from '../arms/compose-arms.ts'
import type { StoredAnswer } from '../calls/call-store.ts'
import type { Prices } from '../calls/prices.ts'
import { EvalError } from '../eval-error.ts'
import type { Host } from '../host.ts'
import { checkQuestions, parseQuestions } from '../questions/read-questions.ts'
import type { EvalScheme, Graded, Question } from '../types.ts'
import type { ModelOptions } from './read-settings.ts'

/** Options of the command. */
export interface EvalOptions extends ModelOptions {
  readonly questions?: string
  readonly generate?: number
  readonly schemes: readonly EvalScheme[]
  readonly together?: boolean
  readonly margin: number
  readonly prices?: Prices
  readonly budget?: number
  readonly dryRun?: boolean
  readonly replay?: boolean
  readonly report?: string
  readonly json?: boolean
}

/** What is asked about, before any model is. */
export interface PreparedRun {
  readonly documents: readonly Document[]
  /** The prompts of each document, or of all together. */
  readonly units: readonly ArmPrompts[]
  /** None yet if a model is to write them. */
  readonly questions: readonly Question[]
}

/** What an evaluation was run with. */
export interface EvalRun extends PreparedRun {
  readonly schemes: readonly EvalScheme[]
  readonly isGenerated: boolean
  readonly isTogether: boolean
  readonly margin: number
  readonly model: string
  readonly url: string | null
  readonly prices: Prices | undefined
}

/** An answer of an arm, with everything that is known about it. */
export interface ArmAnswer extends Omit<ArmCall, 'call'>, Graded {
  readonly answer: StoredAnswer
}

const MAX_QUESTIONS = 4 * 1024 * 1024

/**
 * Checks how options fit together.
 *
 * @throws EvalError `usage`
 */
export function checkUsage(options: EvalOptions): void {
  const { questions, generate, budget, prices, dryRun, replay, report } = options
  const fail = (message: string, hint: string): never => {
    throw new EvalError('usage', message, hint)
  }
  if (questions !== undefined && generate !== undefined)
    fail('--questions and --generate exclude each other', 'omit one of them')
  if (questions === undefined && generate === undefined)
    fail('no questions', 'name a file with --questions, or let the model write some with --generate N')
  if (budget !== undefined && prices === undefined)
    fail('--budget needs prices', 'give them with --prices input,cached,output')
  if (dryRun && (replay || report !== undefined))
    fail('--dry-run makes no report', 'omit --replay and --report')
}

/**
 * Reads packs and questions, and composes all prompts. Documents without questions are omitted,
 * unless all share a prompt.
 *
 * @throws EvalError `invalid_questions`; errors of the host
 */
export async function prepareRun(
  inputs: readonly string[],
  { questions: path, schemes, together, generate, json: isQuiet = false }: EvalOptions,
  host: Host,
): Promise<PreparedRun> {
  const documents = restoreDocuments(await host.readPacks(inputs, isQuiet))
  if (together && new Set(documents.map(({ pack }) => pack.tokenizer)).size > 1)
    throw new EvalError('usage', 'packs with different tokenizers have no common prompt', 'omit --together')
  const questions = path === undefined ? [] : parseQuestions(await host.readText(path, MAX_QUESTIONS), path)
  const sources = new Map(documents.map(({ pack, source }) => [pack.slug, source]))
  const unasked = generate === undefined ? checkQuestions(questions, sources, path!) : []
  if (unasked.length > 0 && !together)
    host.writeNote(host.escapeControls(`no questions for ${unasked.join(', ')}: not evaluated`))
  const used = together ? documents : documents.filter(({ pack }) => !unasked.includes(pack.slug))
  const composer = host.openComposer(isQuiet)
  try {
    const units: ArmPrompts[] = []
    for (const unit of together ? [used] : used.map((one) => [one]))
      units.push(await composeArms(unit, schemes, composer))
    return { documents: used, units, questions }
  } finally {
    await composer.close()
  }
}
