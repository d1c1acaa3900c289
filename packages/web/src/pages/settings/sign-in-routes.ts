import { clientNetwork } from '@packs/catalog'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Auth } from '../../accounts/create-auth.ts'
import type { Sender, SignIn } from '../../accounts/create-sign-in.ts'
import { signUp } from '../../accounts/sign-up.ts'
import type { PageSender } from '../serve-page.ts'
import type { WebPorts } from '../../ports.ts'
import { formatSignInPath, readReturnPath } from '../../security/read-return-path.ts'
import { WebError } from '../../web-error.ts'
import type { Limits } from '../../security/create-limits.ts'
import type { Notices } from './create-notices.ts'
import { forms, LONGEST_EMAIL, parseForm } from './parse-form.ts'
import { renderSignIn, type SignInView } from './sign-in-page.ts'

export interface SignInParts {
  readonly ports: WebPorts
  readonly pages: PageSender
  readonly auth: Auth
  readonly signIn: SignIn
  readonly limits: Limits
  readonly notices: Notices
}

/** Mounts sign-up, sign-in and sign-out. */
export function addSignInRoutes(app: FastifyInstance, parts: SignInParts): void {
  const { ports, auth, signIn, limits, notices } = parts

  app.post('/settings/sign-up', async (request, reply) => {
    try {
      const { email, password, claim, return: back } = parseForm(forms.signUp, request.body)
      const wait = await limits.signUps.take(clientNetwork(request.ip), ports.now())
      if (wait > 0) throw refuseSignUps(wait)
      await signUp(auth, ports, { email, password, claimCode: claim })
      const signInPath = formatSignInPath(readReturnPath(back, '/settings'))
      return await notices.leave(reply, 'signed-up', email).redirect(signInPath, 303)
    } catch (error) {
      return showRefusal(parts, request, reply, 'sign-up', error)
    }
  })

  app.post('/settings/sign-in', async (request, reply) => {
    try {
      const { email, password, return: back } = parseForm(forms.signIn, request.body)
      const name = `${email} ${clientNetwork(request.ip)}`
      const wait = await limits.passwords.take(name, ports.now())
      if (wait > 0) throw refusePasswords(wait)
      const cookies = await signIn.signIn({ email, password }, readSender(request))
      if (cookies === undefined)
        throw new WebError('invalid_form', 'Address or password are wrong', 'Check both and try again.')
      await limits.passwords.release(name, ports.now())
      return await reply.header('set-cookie', cookies).redirect(readReturnPath(back, '/settings'), 303)
    } catch (error) {
      return showRefusal(parts, request, reply, 'sign-in', error)
    }
  })

  app.post('/settings/sign-out', async (request, reply) => {
    const cookies = await signIn.signOut(readSender(request))
    reply.header('set-cookie', [...cookies])
    return notices.leave(reply, 'signed-out').redirect('/settings', 303)
  })
}

/** What of a request sign-in looks at. */
export function readSender({ headers }: FastifyRequest): Sender {
  return { cookie: headers.cookie, userAgent: headers['user-agent'] }
}

export function refusePasswords(retryAfter: number): WebError {
  const hint = `Wait ${retryAfter} s, then try again.`
  return new WebError('too_many_passwords', 'There were too many wrong passwords', hint, { retryAfter })
}

function refuseSignUps(retryAfter: number): WebError {
  const hint = `Try again in ${Math.ceil(retryAfter / 60)} min.`
  return new WebError('too_many_sign_ups', 'There were too many sign-ups from your network', hint, {
    retryAfter,
  })
}

/** Shows the forms again, with what is wrong and the address that was typed. */
async function showRefusal(
  { ports, pages }: SignInParts,
  { body }: FastifyRequest,
  reply: FastifyReply,
  form: 'sign-in' | 'sign-up',
  error: unknown,
): Promise<FastifyReply> {
  if (!(error instanceof WebError)) throw error
  const fields =
    typeof body === 'object' && body !== null
      ? new Map<string, unknown>(Object.entries(body))
      : new Map<string, unknown>()
  const view: SignInView = {
    returnPath: readReturnPath(fields.get('return'), '/settings'),
    notice: undefined,
    refusal: { form, field: error.field, text: `${error.message}. ${error.hint}` },
    email: readTyped(fields.get('email'), LONGEST_EMAIL),
    claim: readTyped(fields.get('claim'), 100),
  }
  if (error.retryAfter !== null) reply.header('retry-after', error.retryAfter)
  reply.code(error.status).header('cache-control', 'no-store')
  const signInPath = formatSignInPath(view.returnPath)
  const viewer = { mode: ports.mode.current(), account: undefined, signInPath }
  return pages.send(reply, { title: 'Settings', viewer, main: renderSignIn(view), place: 'settings' })
}

function readTyped(value: unknown, longest: number): string {
  return typeof value === 'string' ? value.slice(0, longest) : ''
}
