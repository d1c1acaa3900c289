import { createError, optionError } from '../client-error.ts'
import { parseJson, request } from './load.ts'
import { defaultPorts, mayCarryKey, type Ports, readUrl } from './send-request.ts'

/** What a server says of a publish; it has also what `pack publish --json` prints of a source. */
export interface PublishAnswer {
  readonly status: string
  readonly job: string | null
}

/**
 * @param body as `/publish/v1/openapi.json` describes it
 * @param isWaiting whether to wait for a worker, if the source is queued
 * @throws {ClientError} its `cause` is the problem that the server has sent, if it has
 */
export type Publish = (slug: string, body: string, isWaiting: boolean) => Promise<PublishAnswer>

/** Requests are repeated as long as this lets them, because publishing twice changes nothing. */
const LIMITS = { timeout: 900_000, retries: 300, maxWait: 30_000 }
const MAX_ANSWER = 16 * 1024 * 1024
const POLL_MS = 1000
/** Then the source is sent again, in case its job was lost. */
const POLLS = 60

/** @throws {ClientError} `invalid_option`, `insecure_url` */
export function createPublisher(
  url: string,
  token: string,
  allowHttp: boolean,
  ports: Ports = defaultPorts,
): Publish {
  const base = readUrl(url)
  if (base === '') throw optionError('url', 'an http or https URL without credentials, query and fragment')
  if (!/^[\x21-\x7e]+$/.test(token)) throw optionError('token', 'a publish token')
  if (!allowHttp && !mayCarryKey(base))
    throw createError('insecure_url', 'Over http, a token is sent to this machine only')
  const server = { base, key: undefined, token, ports, ...LIMITS }
  const parse = (text: string): PublishAnswer => parseJson(text, { status: 'string', messages: ['object'] })
  const send = async (path: string, body?: string): Promise<PublishAnswer> =>
    (await request(server, { path: `/publish/v1/${path}`, limit: MAX_ANSWER, parse, body }))!.value
  return async (slug, body, isWaiting) => {
    let answer = await send(`packs/${slug}`, body)
    for (let count = 1; isWaiting && answer.status === 'queued'; count++) {
      await ports.wait(POLL_MS)
      answer = await (count % POLLS === 0 ? send(`packs/${slug}`, body) : send(`jobs/${answer.job}`))
    }
    return answer
  }
}
