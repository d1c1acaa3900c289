import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  APICallError,
  extractReasoningMiddleware,
  generateText,
  type LanguageModel,
  RetryError,
  wrapLanguageModel,
} from 'ai'
import { EvalError } from '../eval-error.ts'
import type { BilledTokens } from '../types.ts'
import { checkUrl, createEndpointFetch, cutError, isUnsent, stallError } from './endpoint.ts'

/** Options of every call, from `packs.eval.ts`. They are a part of the key of a stored call. */
export interface CallOptions {
  readonly temperature?: number | undefined
  readonly maxOutputTokens?: number | undefined
  readonly providerOptions?: Parameters<typeof generateText>[0]['providerOptions']
}

/** What a model is asked. */
export interface Prompt {
  readonly system?: string | undefined
  readonly user: string
}

/** What came back, as the endpoint says. */
export interface Answer {
  readonly text: string
  readonly returned: string
  readonly finish: string
  readonly tokens: BilledTokens
  readonly milliseconds: number
}

/** A model that can be asked. */
export interface AskedModel {
  /** Its name as it is asked for. */
  readonly name: string
  /** Null if the endpoint is known to `packs.eval.ts` only. */
  readonly url: string | null
  /**
   * @throws EvalError `endpoint_refused` if asking again is useless, `endpoint_failed`; the
   *   reason of the signal
   */
  readonly ask: (prompt: Prompt, signal: AbortSignal) => Promise<Answer>
}

/** Attempts after a rate limit or a failure of the server: 2 to 64 s apart, or as it says. */
const RETRIES = 6

/** How models are asked. */
export interface AskSettings {
  readonly options: CallOptions
  /** Longest time for a request, and for all attempts of a model of `packs.eval.ts`. */
  readonly seconds: number
  /** Removes secrets from a text of the endpoint. */
  readonly hide: (text: string) => string
}

/**
 * Creates a model behind an OpenAI-compatible endpoint.
 *
 * @param key sent to the origin of the URL only
 * @throws EvalError `invalid_endpoint`
 */
export function createEndpointModel(
  name: string,
  address: string,
  key: string | undefined,
  settings: AskSettings,
): AskedModel {
  const url = checkUrl(address)
  if (key !== undefined && !/^[\x21-\x7E]+$/.test(key)) {
    const hint = 'set it to the key alone'
    throw new EvalError('invalid_endpoint', 'PACK_EVAL_KEY has characters that no key has', hint)
  }
  const provider = createOpenAICompatible({
    name: 'endpoint',
    baseURL: url,
    ...(key !== undefined && { apiKey: key }),
    fetch: createEndpointFetch(new URL(url).origin, settings.seconds),
  })
  return wrapModel(provider(name), settings, { name, url })
}

/** Creates a model from one of the AI SDK, as `packs.eval.ts` hands it over. */
export function wrapModel(
  model: Exclude<LanguageModel, string>,
  { options, seconds, hide }: AskSettings,
  { name, url }: Pick<AskedModel, 'name' | 'url'> = { name: model.modelId, url: null },
): AskedModel {
  globalThis.AI_SDK_LOG_WARNINGS = false
  let isReached = false
  const request = async (prompt: Prompt, abortSignal: AbortSignal, maxRetries: number): Promise<Answer> => {
    const { system, user } = prompt
    const { temperature, maxOutputTokens, providerOptions } = options
    let milliseconds = 0
    const measured = wrapLanguageModel({
      model,
      middleware: [
        // Many local models write what they think into the answer.
        extractReasoningMiddleware({ tagName: 'think' }),
        {
          wrapGenerate: async ({ doGenerate }) => {
            const begin = performance.now()
            const result = await doGenerate().then((one) => one, refuseRetry)
            milliseconds = Math.round(performance.now() - begin)
            return result
          },
        },
      ],
    })
    const result = await generateText({
      model: measured,
      prompt: user,
      maxRetries,
      abortSignal,
      ...(system !== undefined && { instructions: system }),
      ...(temperature !== undefined && { temperature }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(providerOptions !== undefined && { providerOptions }),
    })
    isReached = true
    const { inputTokens, inputTokenDetails, outputTokens, outputTokenDetails } = result.usage
    return {
      text: hide(result.text),
      returned: hide(result.response.modelId).slice(0, 200),
      finish: result.finishReason,
      tokens: {
        input: readCount(inputTokens),
        cached: readCount(inputTokenDetails.cacheReadTokens),
        output: readCount(outputTokens),
        reasoning: readCount(outputTokenDetails.reasoningTokens),
      },
      milliseconds,
    }
  }
  const ask = async (prompt: Prompt, stop: AbortSignal): Promise<Answer> => {
    // A wrong address is reported at once, not after all attempts.
    const retries = isReached ? RETRIES : 0
    try {
      const run = (signal: AbortSignal): Promise<Answer> =>
        request(prompt, signal, retries).catch((error: unknown) => {
          if (retries > 0 || !isOverloaded(error)) throw error
          return request(prompt, signal, RETRIES)
        })
      // An endpoint finishes what was sent when the run stops. Another model might not: it is waited for.
      return await (url === null ? withinSeconds(seconds, run) : run(stop))
    } catch (error) {
      stop.throwIfAborted()
      throw explainFailure(error, name, hide)
    }
  }
  return { name, url, ask }
}

/** A model that never answers would otherwise end the program without a word. */
async function withinSeconds<Result>(
  seconds: number,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const limit = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(stallError(seconds))
      limit.abort()
    }, seconds * 1000)
  })
  return Promise.race([run(limit.signal), late]).finally(() => clearTimeout(timer))
}

/**
 * Lets the AI SDK ask again only if the server declined, or was never reached: a request that was
 * cut may have been charged.
 */
function refuseRetry(error: unknown): never {
  if (!APICallError.isInstance(error) || !error.isRetryable) throw error
  const { statusCode = 0, cause } = error
  if (statusCode >= 300 || isUnsent(cause)) throw error
  throw cutError(`the response was lost: ${error.message}`)
}

function isOverloaded(error: unknown): boolean {
  return APICallError.isInstance(error) && error.isRetryable && error.statusCode !== undefined
}

/** A count that an endpoint reports; null if it is none. */
function readCount(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null
}

const HINTS: ReadonlyMap<number, string> = new Map([
  [401, 'set PACK_EVAL_KEY to a valid key of this endpoint'],
  [402, 'the endpoint wants to be paid: check the account'],
  [403, 'use a key that may ask this model'],
  [404, 'check --model and --url; the URL usually ends in /v1'],
  [413, 'the prompt is too long for the endpoint: name fewer packs, or omit --together'],
])
const AGAIN = 'what was answered is stored: run the same command again to continue'

/** Turns an error of the AI SDK into one that says what to do, without anything that was sent. */
function explainFailure(error: unknown, model: string, hide: (text: string) => string): EvalError {
  const last = RetryError.isInstance(error) ? error.lastError : error
  if (last instanceof EvalError) return new EvalError(last.code, hide(last.message), last.hint)
  const clean = (text: string): string => hide(text).replace(/\s+/g, ' ').slice(0, 300)
  const reason = clean(last instanceof Error ? last.message : String(last))
  if (!APICallError.isInstance(last))
    return new EvalError('endpoint_failed', `no answer of ${model}: ${reason}`, AGAIN)
  const { statusCode, isRetryable, responseBody } = last
  if (statusCode === undefined)
    return new EvalError(
      'endpoint_refused',
      `the endpoint cannot be reached: ${reason}`,
      'start the endpoint, or check --url',
    )
  if (statusCode < 300) {
    const problem = `the answer of ${model} is not that of a chat completion: ${reason}`
    return new EvalError(
      'endpoint_failed',
      responseBody ? `${problem}: ${clean(responseBody)}` : problem,
      AGAIN,
    )
  }
  const hint = HINTS.get(statusCode)
  const problem = `the endpoint answers ${statusCode} for ${model}: ${reason}`
  if (hint !== undefined) return new EvalError('endpoint_refused', problem, hint)
  if (isRetryable)
    return new EvalError('endpoint_failed', `${problem}, even after ${RETRIES} more attempts`, AGAIN)
  const advice =
    'if a prompt is too long, name fewer packs or omit --together; if a question is refused, remove it'
  return new EvalError('endpoint_failed', problem, advice)
}
