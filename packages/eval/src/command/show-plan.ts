import { planCalls } from '../arms/compose-arms.ts'
import type { CallStore } from '../calls/call-store.ts'
import { priceTokens } from '../calls/prices.ts'
import type { Exit, Host } from '../host.ts'
import { wrapText } from '../report/format-result.ts'
import { leastQuestions, power } from '../statistics/power.ts'
import type { Question } from '../types.ts'
import type { EvalOptions, PreparedRun } from './prepare-run.ts'
import type { Settings } from './read-settings.ts'

/** Shares of discordant pairs for which the power is shown. */
const DISCORDANT = [0.02, 0.06, 0.1]
/** Tokens that a short answer takes, reasoning not counted. */
const ANSWER_TOKENS = 40

/** What a run would do, and how likely it would find an equal scheme as good. */
interface Plan {
  readonly questions: number
  /** Calls that answer questions. */
  readonly calls: number
  readonly stored: number
  /** Calls that let a model write questions, at least. */
  readonly writing: number
  /** Tokens of the system prompts of all calls that are not stored. */
  readonly input: number
  readonly output: number
  readonly cost: number | null
  readonly power: readonly { readonly discordant: number; readonly as_good: number }[]
  readonly least_questions: number
}

/** Shows what a run would do, and asks nothing. */
export function showPlan(
  run: PreparedRun,
  { generate = 0, margin, prices, json }: EvalOptions,
  { reader, options }: Settings,
  store: CallStore,
  host: Host,
): Exit {
  // Questions that are not written yet take a place each.
  const places = run.documents.flatMap(({ pack: { slug: doc } }) =>
    Array.from({ length: generate }, (_, at): Question => {
      const question = `${doc} ${at}`
      return { id: question, doc, kind: 'fact', question, answer: '', accept: [], evidence: [] }
    }),
  )
  const questions = [...run.questions, ...places]
  const calls = planCalls(run.units, questions, reader, options)
  const open = calls.filter(({ call }) => store.find(call) === undefined)
  const input = open.reduce((sum, { call }) => sum + (call.promptTokens ?? 0), 0)
  const output = ANSWER_TOKENS * open.length
  const plan: Plan = {
    questions: questions.length,
    calls: calls.length,
    stored: calls.length - open.length,
    writing: run.documents.length * Math.ceil(generate / 2),
    input,
    output,
    cost: prices === undefined ? null : priceTokens({ input, cached: 0, output }, prices),
    power: DISCORDANT.map((discordant) => ({
      discordant,
      as_good: power(questions.length, discordant, margin),
    })),
    least_questions: leastQuestions(margin),
  }
  if (json) host.writeJson({ ok: true, dry_run: true, ...plan })
  else {
    const lines = formatPlan(plan, margin, host).flatMap((line) =>
      line.length > host.columns ? wrapText(line, host.columns) : [line],
    )
    host.writeResult(`${lines.join('\n')}\n`)
  }
  return 'done'
}

function formatPlan(
  { questions, calls, stored, writing, input, output, cost, power: rows, least_questions }: Plan,
  margin: number,
  { formatCount, formatTable }: Host,
): readonly string[] {
  const least = `where no answer differs, as good takes ${least_questions} questions at a margin of ${margin} points`
  return [
    `${formatCount(questions)} questions, ${formatCount(calls)} calls that answer them, ${formatCount(stored)} of them stored`,
    ...(writing > 0 ? [`${formatCount(writing)} calls or more that write the questions`] : []),
    `about ${formatCount(input)} tokens of input and ${formatCount(output)} of output are left; reasoning and the judge (two calls for each answer that no rule decides) are not counted`,
    cost === null
      ? 'no cost, because no --prices are given'
      : `about $${cost.toFixed(2)} without cached input; caching makes it cheaper, reasoning and the judge dearer`,
    '',
    ...formatTable(
      ['>pairs that differ', '>as good, if the scheme is equal'],
      rows.map(({ discordant, as_good }) => [`${100 * discordant} %`, `${(100 * as_good).toFixed(0)} %`]),
    ),
    questions < least_questions ? `${least}: ${least_questions - questions} are missing` : least,
    'From 20 documents on, what questions about one document have in common lowers these chances.',
  ]
}
