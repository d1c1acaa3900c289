import { clientNetwork } from '@packs/catalog'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Auth } from '../../accounts/create-auth.ts'
import type { ClientHeaders, SignIn } from '../../accounts/create-sign-in.ts'
import { signUp } from '../../accounts/sign-up.ts'
import type { WebPorts } from '../../ports.ts'
import type { Limits } from '../../security/create-limits.ts'
import { formatSignInPath, readReturnPath } from '../../security/read-return-path.ts'
import { WebError } from '../../web-error.ts'
import type { PageSender } from '../serve-page.ts'
import type { FlashMessages } from './flash-messages.ts'
import { forms, MAX_EMAIL_LENGTH, parseForm } from './parse-form.ts'
import { renderSignIn, type SignInView } from './sign-in-page.ts'

export interface SettingsDependencies {
  readonly ports: WebPorts
  readonly pages: PageSender
  readonly auth: Auth
  readonly signIn: SignIn
  readonly limits: Limits
  readonly flashMessages: FlashMessages
}

/** Adds the routes of sign-up, sign-in and sign-out. */
export function addSignInRoutes(app: FastifyInstance, dependencies: SettingsDependencies): void {
  const { ports, auth, signIn, limits, flashMessages } = dependencies

  app.post('/settings/sign-up', async (request, reply) => {
    try {
      const { email, password, claim, return: returnPath } = parseForm(forms.signUp, request.body)
      const wait = await limits.signUps.take(clientNetwork(request.ip), ports.now())
      if (wait > 0) throw tooManySignUpsError(wait)
      await signUp(auth, ports, { email, password, claimCode: claim })
      const signInPath = formatSignInPath(readReturnPath(returnPath, '/settings'))
      return await flashMessages.set(reply, 'signed-up', email).redirect(signInPath, 303)
    } catch (error) {
      return showFormError(dependencies, request, reply, 'sign-up', error)
    }
  })

  app.post('/settings/sign-in', async (request, reply) => {
    try {
      const { email, password, return: returnPath } = parseForm(forms.signIn, request.body)
      const name = `${email} ${clientNetwork(request.ip)}`
      const wait = await limits.passwords.take(name, ports.now())
      if (wait > 0) throw tooManyPasswordsError(wait)
      const cookies = await signIn.signIn({ email, password }, readClientHeaders(request))
      if (cookies === undefined)
        throw new WebError(
          'invalid_form',
          'The email address or the password is wrong',
          'Check both and try again.',
        )
      await limits.passwords.release(name, ports.now())
      return await reply.header('set-cookie', cookies).redirect(readReturnPath(returnPath, '/settings'), 303)
    } catch (error) {
      return showFormError(dependencies, request, reply, 'sign-in', error)
    }
  })

  app.post('/settings/sign-out', async (request, reply) => {
    const cookies = await signIn.signOut(readClientHeaders(request))
    reply.header('set-cookie', [...cookies])
    return flashMessages.set(reply, 'signed-out').redirect('/settings', 303)
  })
}

/** Returns the headers of a request that sign-in needs. */
export function readClientHeaders({ headers }: FastifyRequest): ClientHeaders {
  return { cookie: headers.cookie, userAgent: headers['user-agent'] }
}

export function tooManyPasswordsError(retryAfter: number): WebError {
  const hint = `Wait ${retryAfter} s, then try again.`
  return new WebError('too_many_passwords', 'There were too many wrong passwords', hint, { retryAfter })
}

function tooManySignUpsError(retryAfter: number): WebError {
  const hint = `Try again in ${Math.ceil(retryAfter / 60)} min.`
  return new WebError('too_many_sign_ups', 'There were too many sign-ups from your network', hint, {
    retryAfter,
  })
}

/** Shows the forms again with the error, and with the address and claim code that were entered. */
async function showFormError(
  { ports, pages }: SettingsDependencies,
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
    error: { form, field: error.field, text: `${error.message}. ${error.hint}` },
    email: readString(fields.get('email'), MAX_EMAIL_LENGTH),
    claim: readString(fields.get('claim'), 100),
  }
  if (error.retryAfter !== null) reply.header('retry-after', error.retryAfter)
  reply.code(error.status).header('cache-control', 'no-store')
  const signInPath = formatSignInPath(view.returnPath)
  const viewer = { mode: ports.mode.current(), account: undefined, signInPath }
  return pages.send(reply, { title: 'Settings', viewer, main: renderSignIn(view), section: 'settings' })
}

function readString(value: unknown, longest: number): string {
  return typeof value === 'string' ? value.slice(0, longest) : ''
}
