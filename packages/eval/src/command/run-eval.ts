import { createHash } from 'node:crypto'
import { constants } from 'node:os'
import { join } from 'node:path'
import { planCalls } from '../arms/compose-arms.ts'
import { type CallStore, openStore } from '../calls/call-store.ts'
import { type CallRunner, createCallRunner } from '../calls/run-calls.ts'
import { EvalError } from '../eval-error.ts'
import type { Exit, Host } from '../host.ts'
import { generateQuestions } from '../questions/generate-questions.ts'
import { formatResult } from '../report/format-result.ts'
import { renderPage } from '../report/render-page.ts'
import type { EvalResult, Question } from '../types.ts'
import { collectResult } from './collect-result.ts'
import { showPlan } from './show-plan.ts'
import { gradeAnswers } from '../grading/grade-answers.ts'
import { checkUsage, type EvalOptions, type PreparedRun, prepareRun } from './prepare-run.ts'
import { readSettings, type Settings } from './read-settings.ts'

const STORE = join('.packs', 'eval')

/**
 * Runs `pack eval`: composes the prompts of all arms, asks what is not stored, grades and reports.
 *
 * @throws EvalError; errors of the host
 */
export async function runEval(inputs: readonly string[], options: EvalOptions, host: Host): Promise<Exit> {
  checkUsage(options)
  if (options.report !== undefined) host.checkOutput(options.report)
  const settings = await readSettings(options, host)
  const run = await prepareRun(inputs, options, host)
  const store = openStore(STORE, (options.replay || options.dryRun) ?? false)
  try {
    if (options.dryRun) return showPlan(run, options, settings, store, host)
    const result = await evaluate(run, options, settings, store, host)
    const { report: page, json } = options
    if (page !== undefined) host.writeFile(page, renderPage(result))
    if (json) host.writeJson(result)
    else host.writeResult(`${formatResult(result, host).join('\n')}\n`)
    if (page !== undefined && !json) host.writeNote(host.escapeControls(`report: ${page}`))
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
  const runner = createCallRunner({ ...asked, store, prices, budget })
  const status = host.startStatus(() => describeProgress(runner, prices !== undefined), json)
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
    const given = calls.map(({ question }, at) => ({ question, text: answers[at]!.text }))
    const asJudge = { model: judge, options, isReader: judge === reader }
    const graded = await gradeAnswers(given, asJudge, runner)
    const whole = calls.map((call, at) => ({ ...call, answer: answers[at]!, ...graded.grades[at]! }))
    const { schemes, margin, together: isTogether = false } = others
    const run = { ...prepared, questions, schemes, margin, isTogether, isGenerated: generate !== undefined }
    const model = { model: reader.name, url: reader.url, prices }
    return collectResult({ ...run, ...model }, whole, graded.judge, runner.totals())
  } finally {
    status.stop()
    stop.end()
  }
}

function describeProgress({ totals }: CallRunner, isPriced: boolean): string | undefined {
  const { all, stored, made, cost } = totals()
  if (all === 0) return undefined
  return `answered ${stored + made}/${all}${isPriced ? `, $${cost.toFixed(4)}` : ''}`
}

function keepQuestions(questions: readonly Question[], wanted: number, host: Host): void {
  const text = `${JSON.stringify(questions, null, 1)}\n`
  // Questions of other documents, or corrected ones, are not overwritten.
  const path = join(STORE, `questions-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.json`)
  host.writeFile(path, text)
  const some = questions.length < wanted ? ` of ${wanted}` : ''
  host.writeNote(
    `${questions.length}${some} questions were written to ${path}: read them, and pass them with --questions`,
  )
}

/**
 * Stops the run on SIGINT or SIGTERM: nothing more is asked, and the answers on their way are
 * stored. A second signal ends the program.
 *
 * @returns `end` gives the signals back to the program
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
