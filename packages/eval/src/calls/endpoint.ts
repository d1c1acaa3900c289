import { EvalError } from '../eval-error.ts'

/** Longest response in bytes; an answer of a model is far shorter. */
const MAX_RESPONSE = 4 * 1024 * 1024

/**
 * Checks the URL of an OpenAI-compatible endpoint, such as `http://127.0.0.1:1234/v1`: https, or
 * http to this machine. A user, a query or a fragment could be a secret, and would be stored.
 *
 * @returns the URL without the slash at its end
 * @throws EvalError `invalid_endpoint`
 */
export function checkUrl(text: string): string {
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
export function isUnsent(cause: unknown): boolean {
  const { code, message = '' } = (cause ?? {}) as Partial<NodeJS.ErrnoException>
  return UNSENT.test(code ?? message)
}

/**
 * Creates the `fetch` of an endpoint. It sends requests to one origin, follows no redirect, is not
 * ended by the caller's signal, and returns whole responses only: a response that is cut, stalls or
 * is too large is an error that is not tried again, because the endpoint may have charged for it.
 *
 * @param seconds longest time for a request and its response
 * @throws EvalError `endpoint_refused` for a redirect or another origin, `endpoint_failed`; the
 *   TypeError of fetch if no connection was made
 */
export function createEndpointFetch(origin: string, seconds: number): typeof fetch {
  return async (input, init) => {
    const { href } = input instanceof Request ? new URL(input.url) : new URL(input)
    if (new URL(href).origin !== origin)
      throw new EvalError('endpoint_refused', 'a request left the origin of --url', 'report this')
    // A request that is sent may be charged, so the signal of the caller does not end it.
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

export function cutError(message: string): EvalError {
  return new EvalError(
    'endpoint_failed',
    message,
    'the endpoint may have charged for it; run the same command again, which asks for this answer again',
  )
}

export function stallError(seconds: number): EvalError {
  return cutError(`no whole response came within ${seconds} seconds`)
}
