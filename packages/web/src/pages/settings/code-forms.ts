import { clientNetwork } from '@packs/catalog'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Html } from '@packs/codec/theme'
import { WebError } from '../../web-error.ts'
import { readQuery } from '../serve-page.ts'
import type { CodeView } from './code-page.ts'
import { MAX_CODE_LENGTH, MAX_EMAIL_LENGTH } from './parse-form.ts'
import { readField, type SettingsDependencies } from './sign-in-routes.ts'

type Dependencies = Pick<SettingsDependencies, 'ports' | 'pages' | 'limits'>

export const EMPTY_VIEW: CodeView = { email: '', code: '', notice: undefined, error: undefined }

/**
 * Counts a code that was entered until it is known to be right. Codes are too long to be guessed; this bounds the work.
 *
 * @throws WebError `too_many_codes`
 */
export async function takeCodeAttempt(
  { limits, ports: { now } }: Dependencies,
  { ip }: FastifyRequest,
): Promise<{ succeed(): Promise<void> }> {
  const network = clientNetwork(ip)
  const wait = await limits.codes.take(network, now())
  if (wait > 0) {
    const hint = `Wait ${wait} s, then try again.`
    throw new WebError('too_many_codes', 'There were too many wrong codes', hint, { retryAfter: wait })
  }
  return { succeed: () => limits.codes.release(network, now()) }
}

/** Counts a mail that a network asks for. @throws WebError `too_many_mails` */
export async function takeMail(
  { limits, ports: { now } }: Dependencies,
  { ip }: FastifyRequest,
): Promise<void> {
  const wait = await limits.mailsOfNetwork.take(clientNetwork(ip), now())
  if (wait === 0) return
  const hint = `Try again in ${Math.ceil(wait / 60)} min.`
  throw new WebError('too_many_mails', 'Your network asked for too many mails', hint, { retryAfter: wait })
}

/** Sends a page. If its URL holds a code, no other page learns the URL. */
export async function sendCodePage(
  { pages }: Dependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  main: Html,
): Promise<FastifyReply> {
  reply.header('cache-control', 'no-store')
  if (request.url.includes('?')) reply.header('referrer-policy', 'no-referrer')
  const viewer = await pages.findViewer(request, reply)
  return pages.send(reply, { title: 'Settings', viewer, main, section: 'settings' })
}

/** Shows a form again with the error, and with what was entered except the password. @throws any error that is not expected */
export function showCodeError(
  dependencies: Dependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  render: (view: CodeView) => Html,
): Promise<FastifyReply> {
  if (!(error instanceof WebError)) throw error
  if (error.retryAfter !== null) reply.header('retry-after', error.retryAfter)
  reply.code(error.status)
  const view: CodeView = {
    email: readField(request, 'email', MAX_EMAIL_LENGTH),
    code: readField(request, 'code', MAX_CODE_LENGTH),
    notice: undefined,
    error: { field: error.field, text: `${error.message}. ${error.hint}` },
  }
  return sendCodePage(dependencies, request, reply, render(view))
}

/** Reads the code in the link of a mail. */
export function readCode({ url }: FastifyRequest): string {
  const { code } = readQuery(url)
  return typeof code === 'string' ? code.slice(0, MAX_CODE_LENGTH) : ''
}

export function wrongCodeError(): WebError {
  const message = 'The code is wrong, used or expired, or belongs to another address'
  return new WebError('invalid_form', message, 'Check both, or ask for a new code.', { field: 'code' })
}
