import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, extractReasoningMiddleware, generateText, RetryError, wrapLanguageModel } from 'ai'
import type { LanguageModel } from 'ai'
import { EvalError } from '../eval-error.ts'
import type { BilledTokens } from '../types.ts'

/** Options of every call, from `packs.eval.ts`. They are a part of the key of a stored call. */
export interface CallOptions {
  readonly temperature?: number | undefined
  readonly maxOutputTokens?: number | undefined
  readonly providerOptions?: Parameters<typeof generateText>[0]['providerOptions']
}

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

export interface AskedModel {
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

interface AskSettings {
  readonly options: CallOptions
  /** Longest time for a request, and for all attempts of a model of `packs.eval.ts`. */
  readonly seconds: number
  /** Removes secrets from a text of the endpoint. */
  readonly hide: (text: string) => string
}

/** @param key sent to the origin of the URL only */
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
          const isAnswered = APICallError.isInstance(error) && error.statusCode !== undefined
          if (retries > 0 || !isAnswered || !error.isRetryable) throw error
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

/** A request that was cut may have been charged, so it is asked again only if it was declined. */
function refuseRetry(error: unknown): never {
  if (!APICallError.isInstance(error) || !error.isRetryable) throw error
  const { statusCode = 0, cause } = error
  if (statusCode >= 300 || isUnsent(cause)) throw error
  throw cutError(`the response was lost: ${error.message}`)
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
  const advice = 'start the endpoint, or check --url'
  if (statusCode === undefined)
    return new EvalError('endpoint_refused', `the endpoint cannot be reached: ${reason}`, advice)
  if (statusCode < 300) {
    const problem = `the answer of ${model} is not that of a chat completion: ${reason}`
    const body = responseBody ? `: ${clean(responseBody)}` : ''
    return new EvalError('endpoint_failed', problem + body, AGAIN)
  }
  const hint = HINTS.get(statusCode)
  const problem = `the endpoint answers ${statusCode} for ${model}: ${reason}`
  if (hint !== undefined) return new EvalError('endpoint_refused', problem, hint)
  if (isRetryable)
    return new EvalError('endpoint_failed', `${problem}, even after ${RETRIES} more attempts`, AGAIN)
  const remedy =
    'if a prompt is too long, name fewer packs or omit --together; if a question is refused, remove it'
  return new EvalError('endpoint_failed', problem, remedy)
}

/** Longest response in bytes; an answer of a model is far shorter. */
const MAX_RESPONSE = 4 * 1024 * 1024

/** Takes https, or http to this machine; no user, query or fragment, which could be a secret. */
function checkUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw endpointError('--url is not an http or https URL', 'give it as https://api.example.com/v1')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw endpointError(
      '--url has a user, a password, a query or a fragment',
      'give only the address, and the key in PACK_EVAL_KEY',
    )
  if (url.protocol === 'http:' && !/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url.hostname))
    throw endpointError(
      `--url must be https: over http, others could read the key and the documents on their way to ${url.host}`,
      'use https, or an address of this machine such as http://127.0.0.1:1234/v1',
    )
  return url.href.endsWith('/') ? url.href.slice(0, -1) : url.href
}

function endpointError(message: string, hint: string): EvalError {
  return new EvalError('invalid_endpoint', message, hint)
}

/** Errors of a connection that was never made, so that nothing was sent. */
const UNSENT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|bad port|ERR_SSL_.*|ERR_TLS_.*|CERT_.*|UNABLE_TO_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*)$/

/** Tells whether the cause of a failure is that nothing was sent: no connection was made. */
function isUnsent(cause: unknown): boolean {
  const { code, message = '' } = (cause ?? {}) as Partial<NodeJS.ErrnoException>
  return UNSENT.test(code ?? message)
}

/**
 * Creates the `fetch` of an endpoint, for one origin, without redirects. A request may be charged,
 * so the caller's signal does not end it, and a cut, stalled or too large response is not repeated.
 * @throws EvalError `endpoint_refused`, `endpoint_failed`; the TypeError of fetch if no connection
 *   was made
 */
function createEndpointFetch(origin: string, seconds: number): typeof fetch {
  return async (input, init) => {
    const { href } = input instanceof Request ? new URL(input.url) : new URL(input)
    if (new URL(href).origin !== origin)
      throw new EvalError('endpoint_refused', 'a request left the origin of --url', 'report this')
    const signal = AbortSignal.timeout(seconds * 1000)
    const lose = (reason: string) => (error: unknown) => {
      throw error instanceof EvalError ? error : signal.aborted ? stallError(seconds) : cutError(reason)
    }
    const response = await fetch(href, { ...init, redirect: 'manual', signal }).catch((error: unknown) => {
      const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException
      if (isUnsent((error as Error).cause)) throw error
      return lose(`no response came (${code ?? message})`)(error)
    })
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel()
      const hint = 'pass the address that it leads to, if you trust it, with --url'
      throw new EvalError('endpoint_refused', 'the endpoint redirects, which is not followed', hint)
    }
    const bytes = await readBody(response).catch(lose('the response was cut'))
    const { status, statusText, headers } = response
    return new Response(status === 204 ? null : bytes, { status, statusText, headers })
  }
}

async function readBody(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    length += chunk.length
    if (length > MAX_RESPONSE) throw cutError('the response is larger than 4 MiB')
  }
  const declared = Number(response.headers.get('content-length') ?? length)
  if (declared > length && !response.headers.has('content-encoding')) throw cutError('the response was cut')
  return Buffer.concat(chunks)
}

function cutError(message: string): EvalError {
  const hint =
    'the endpoint may have charged for it; run the same command again, which asks for this answer again'
  return new EvalError('endpoint_failed', message, hint)
}

function stallError(seconds: number): EvalError {
  return cutError(`no whole response came within ${seconds} seconds`)
}
