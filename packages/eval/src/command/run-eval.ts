import { resolveLinks } from '@packs/codec'
import { createHash } from 'node:crypto'
import { constants } from 'node:os'
import { join } from 'node:path'
import { planCalls, checkUsage, prepareRun, readSettings } from './prepare-run.ts'
import type { EvalOptions, PreparedRun, Settings } from './prepare-run.ts'
import { type CallStore, openStore, priceTokens } from '../calls/call-store.ts'
import { createCallRunner, type Totals } from '../calls/run-calls.ts'
import { EvalError } from '../eval-error.ts'
import type { Exit, Host, EvalResult, Question } from '../types.ts'
import { generateQuestions } from '../questions/generate-questions.ts'
import { formatResult, wrapText } from '../report/describe-result.ts'
import { collectResult } from './collect-result.ts'
import { gradeAnswers } from '../grading/grade-answers.ts'
import { leastQuestions, MARGIN, power } from '../statistics/compare-pairs.ts'

const STORE = join('.packs', 'eval')

/** Composes the prompts of all arms, asks what is not stored, grades and reports. */
export async function runEval(inputs: readonly string[], options: EvalOptions, host: Host): Promise<Exit> {
  checkUsage(options)
  const settings = await readSettings(options, host)
  const run = await prepareRun(inputs, options, host)
  const store = openStore(STORE, (options.replay || options.dryRun) ?? false)
  try {
    if (options.dryRun) {
      showPlan(planRun(run, options, settings, store), options, host)
      return 'done'
    }
    const result = await evaluate(run, options, settings, store, host)
    if (options.json) host.writeJson(result)
    else host.writeResult(`${formatResult(result, host).join('\n')}\n`)
    return result.schemes.some(({ verdict }) => verdict === 'worse') ? 'findings' : 'done'
  } finally {
    store.close()
  }
}

async function evaluate(
  prepared: PreparedRun,
  { prices, budget, replay = false, generate, json = false, ...others }: EvalOptions,
  { reader, judge, concurrency, options }: Settings,
  store: CallStore,
  host: Host,
): Promise<EvalResult> {
  const stop = stopOnSignal(host)
  const asked = { concurrency, isReplay: replay, stop: stop.signal }
  const progress = host.startProgress('answering', 0, json)
  const onProgress = ({ all, stored, made, cost }: Totals): void =>
    progress.show(stored + made, all, prices === undefined ? '' : `, $${cost.toFixed(4)}`)
  const runner = createCallRunner({ ...asked, store, prices, budget, onProgress })
  try {
    let { questions } = prepared
    if (generate !== undefined) {
      const sources = prepared.documents.map(({ pack: { slug }, source: text }) => {
        const { terms } = prepared.units.find(({ slugs }) => slugs.includes(slug))!
        return { slug, text, terms }
      })
      questions = await generateQuestions(sources, generate, reader, options, runner)
      if (!replay) keepQuestions(questions, generate * sources.length, host)
    }
    const calls = planCalls(prepared.units, questions, reader, options)
    const answers = await runner.run(calls.map(({ call }) => call))
    const given = calls.map(({ question, unit, arm }, at) => {
      const text = resolveLinks(answers[at]!.text, unit.prompts.get(arm)?.links ?? {})
      return { question, text }
    })
    const asJudge = { model: judge, options, isReader: judge === reader }
    const graded = await gradeAnswers(given, asJudge, runner)
    const whole = calls.map((call, at) => ({ ...call, answer: answers[at]!, ...graded.grades[at]! }))
    const { schemes, together: isTogether = false } = others
    const run = { ...prepared, questions, schemes, isTogether, isGenerated: generate !== undefined }
    const model = { model: reader.name, url: reader.url, prices }
    return collectResult({ ...run, ...model }, whole, graded.judge, runner.totals())
  } finally {
    progress.stop()
    stop.end()
  }
}

function keepQuestions(questions: readonly Question[], wanted: number, host: Host): void {
  const text = `${JSON.stringify(questions, null, 1)}\n`
  // Questions of other documents, or corrected ones, are not overwritten.
  const path = join(STORE, `questions-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.json`)
  host.writeFile(path, text)
  const some = questions.length < wanted ? ` of ${wanted}` : ''
  const count = `${questions.length}${some} questions`
  host.writeNote(`${count} were written to ${path}: read them, and pass them with --questions`)
}

/**
 * On SIGINT or SIGTERM, nothing more is asked, and the answers on their way are stored. A second
 * signal ends the program. `end` gives the signals back to it.
 */
function stopOnSignal({ writeNote }: Host): { readonly signal: AbortSignal; readonly end: () => void } {
  const stop = new AbortController()
  const hint = 'what was answered is stored: run the same command again to continue'
  const take = (signal: NodeJS.Signals): void => {
    if (stop.signal.aborted) process.exit(128 + constants.signals[signal])
    writeNote('stopping: waiting for the answers that are on their way; once more to end at once')
    stop.abort(new EvalError('interrupted', 'the run was stopped', hint))
  }
  const before = (['SIGINT', 'SIGTERM'] as const).map((name) => [name, process.listeners(name)] as const)
  for (const [name] of before) process.removeAllListeners(name).on(name, take)
  const end = (): void => {
    for (const [name, listeners] of before) {
      process.removeListener(name, take)
      for (const listener of listeners) process.on(name, listener)
    }
  }
  return { signal: stop.signal, end }
}

/** Shares of discordant pairs for which the power is shown. */
const DISCORDANT = [0.02, 0.06, 0.1]
/** Tokens that a short answer takes, reasoning not counted. */
const ANSWER_TOKENS = 40

type Plan = ReturnType<typeof planRun>

/** Says what a run would do, and how likely it would find an equal scheme as good. */
function planRun(
  run: PreparedRun,
  { generate = 0, prices }: EvalOptions,
  { reader, options }: Settings,
  store: CallStore,
) {
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
  return {
    questions: questions.length,
    calls: calls.length,
    stored: calls.length - open.length,
    /** Calls that let a model write questions, at least. */
    writing: run.documents.length * Math.ceil(generate / 2),
    /** Tokens of the system prompts of all calls that are not stored. */
    input,
    output,
    cost: prices === undefined ? null : priceTokens({ input, cached: 0, output }, prices),
    power: DISCORDANT.map((discordant) => ({
      discordant,
      as_good: power(questions.length, discordant, MARGIN),
    })),
    least_questions: leastQuestions(MARGIN),
  }
}

function showPlan(plan: Plan, { json }: EvalOptions, host: Host): void {
  if (json) return host.writeJson({ ok: true, dry_run: true, ...plan })
  const lines = formatPlan(plan, host).flatMap((line) =>
    line.length > host.columns ? wrapText(line, host.columns) : [line],
  )
  host.writeResult(`${lines.join('\n')}\n`)
}

function formatPlan(
  { questions, calls, stored, writing, input, output, cost, power: rows, least_questions }: Plan,
  { formatCount, formatTable }: Host,
): readonly string[] {
  const least = `where no answer differs, as good takes ${least_questions} questions at a margin of ${MARGIN} points`
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
