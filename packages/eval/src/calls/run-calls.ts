import { EvalError } from '../eval-error.ts'
import { digestCall, priceTokens } from './call-store.ts'
import type { Call, CallStore, StoredAnswer, Prices } from './call-store.ts'

/** Failures in a row after which nothing more is asked. */
const MAX_FAILURES = 5

export interface RunOptions {
  readonly store: CallStore
  readonly isReplay: boolean
  readonly concurrency: number
  /** Aborted when no more calls are to be started; those on their way are still stored. */
  readonly stop: AbortSignal
  readonly prices?: Prices | undefined
  /** Most dollars of all calls of the evaluation, stored ones included. */
  readonly budget?: number | undefined
  /** Called when calls were added or answered. */
  readonly onProgress?: (totals: Totals) => void
}

export interface Totals {
  /** Different calls so far, answered or not. */
  readonly all: number
  readonly stored: number
  readonly made: number
  /** Dollars at the given prices, of stored answers too. */
  readonly cost: number
}

export interface CallRunner {
  /**
   * Answers calls, from the store where possible. Equal calls are asked once.
   * @throws EvalError `calls_missing` in a replay, `budget_reached`, `store_failed`, those of the
   *   model; the reason of the signal
   */
  readonly run: (calls: readonly Call[]) => Promise<readonly StoredAnswer[]>
  readonly totals: () => Totals
}

export function createCallRunner(options: RunOptions): CallRunner {
  const { store, isReplay, stop, prices } = options
  const answers = new Map<string, StoredAnswer>()
  const unanswered = new Set<string>()
  let [stored, made, cost, largest] = [0, 0, 0, 0]
  let isBilled = true
  const totals = (): Totals => ({ all: answers.size + unanswered.size, stored, made, cost })

  function take(key: string, answer: StoredAnswer): void {
    const price = prices === undefined ? 0 : priceTokens(answer.tokens, prices)
    if (answer.tokens.input === null || answer.tokens.output === null) isBilled = false
    answers.set(key, answer)
    unanswered.delete(key)
    cost += price
    largest = Math.max(largest, price)
    options.onProgress?.(totals())
  }

  /** Asks a call if the budget allows it beside the others that are on their way. */
  async function ask([key, call]: OpenCall, active: number): Promise<void> {
    const input = call.promptTokens ?? 0
    const least = prices === undefined ? 0 : priceTokens({ ...UNKNOWN, input }, prices)
    const { budget = Infinity } = options
    const problem = 'the endpoint does not report the tokens of its answers, so no budget can be kept'
    if (!isBilled && budget < Infinity)
      throw new EvalError('budget_reached', problem, 'omit --budget; --dry-run estimates the tokens')
    if (cost + active * Math.max(largest, least) > budget) throw new BudgetReached()
    const { name, url, ask: askModel } = call.model
    const answer = await askModel(call.prompt, stop)
    const record = { ...answer, model: name, url, at: new Date().toISOString() }
    store.save(call, record)
    take(key, record)
    made++
  }

  async function run(calls: readonly Call[]): Promise<readonly StoredAnswer[]> {
    const keys = calls.map(digestCall)
    const open: OpenCall[] = []
    for (const [at, call] of calls.entries()) {
      const key = keys[at]!
      if (answers.has(key) || unanswered.has(key)) continue
      const found = store.find(call)
      unanswered.add(key)
      if (found === undefined) open.push([key, call])
      else {
        take(key, found)
        stored++
      }
    }
    if (isReplay && open.length > 0) throw missingError(open.length, new Set(keys).size, store)
    await askAll(open, options, made === 0, ask).catch((error: unknown) => {
      if (!(error instanceof BudgetReached)) throw error
      const problem = `the budget of $${options.budget} does not allow the next call: $${cost.toFixed(4)} are used, ${unanswered.size} calls are left`
      const hint = 'raise --budget and run again: what is stored is not paid again'
      throw new EvalError('budget_reached', problem, hint)
    })
    return keys.map((key) => answers.get(key)!)
  }

  return { run, totals }
}

/** Becomes an error with figures when all calls on their way have ended. */
class BudgetReached extends Error {}

const UNKNOWN = { input: null, cached: null, output: null, reasoning: null }

type OpenCall = readonly [key: string, call: Call]

/**
 * Asks several calls at a time. A single failure does not stop the others.
 * @param isBegin asks the first call alone, so that a wrong key or address costs one request
 * @param ask gets a call, and how many are on their way with it
 */
async function askAll(
  open: readonly OpenCall[],
  { store, stop, concurrency }: RunOptions,
  isBegin: boolean,
  ask: (call: OpenCall, active: number) => Promise<void>,
): Promise<void> {
  let [next, active, failures, left] = [0, 0, 0, 0]
  let fatal: Error | undefined
  let failure: EvalError | undefined
  const askNext = async (): Promise<void> => {
    stop.throwIfAborted()
    try {
      await ask(open[next++]!, ++active)
      failures = 0
    } catch (error) {
      left++
      if (!(error instanceof EvalError && error.code === 'endpoint_failed')) throw error
      if (++failures >= MAX_FAILURES) throw error
      failure ??= error
    } finally {
      active--
    }
    const fault = store.fault()
    if (fault !== undefined) throw fault
  }
  const work = async (end: number): Promise<void> => {
    try {
      while (next < end && fatal === undefined) await askNext()
    } catch (error) {
      fatal ??= error as Error
    }
  }
  if (isBegin) await work(Math.min(1, open.length))
  await Promise.all(Array.from({ length: concurrency }, () => work(open.length)))
  if (fatal !== undefined) throw fatal
  if (failure === undefined) return
  const { code, message, hint } = failure
  throw new EvalError(code, `${left} of ${open.length} calls were not answered; the first: ${message}`, hint)
}

function missingError(missing: number, all: number, store: CallStore): EvalError {
  const advice = 'run the same command without --replay, which asks only what is missing'
  if (missing < all)
    return new EvalError('calls_missing', `${missing} of ${all} calls are not stored`, advice)
  const others = store.count()
  const rest = others > 0 ? `, only ${others} of other prompts, models or options` : ''
  const hint =
    'name the packs, questions, model and options of the run to report: if one changes, other calls are asked'
  return new EvalError('calls_missing', `none of the ${all} calls is stored${rest}`, hint)
}
