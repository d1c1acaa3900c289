import { clientNetwork, type CatalogSample } from '@packs/catalog'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Auth } from '../../accounts/create-auth.ts'
import { type ClientHeaders, type SignIn, signUp } from '../../accounts/create-sign-in.ts'
import type { Passwords } from '../../accounts/passwords.ts'
import type { AccountMails } from '../../mail/create-account-mails.ts'
import type { WebPorts } from '../../ports.ts'
import type { Limits } from '../../security/create-limits.ts'
import { formatSignInPath, readReturnPath } from '../../security/cross-site-protection.ts'
import { WebError, type WebErrorCode } from '../../web-error.ts'
import type { PageSender } from '../serve-page.ts'
import type { FlashMessages } from './flash-messages.ts'
import { MAX_EMAIL_LENGTH, parseForm, schemas, fields, findFieldError, renderField } from './form-fields.ts'
import type { FormError } from './form-fields.ts'
import { html, type Html } from '@packs/theme'

export interface SettingsDependencies {
  readonly ports: WebPorts
  readonly pages: PageSender
  readonly auth: Auth
  readonly passwords: Passwords
  readonly signIn: SignIn
  readonly limits: Limits
  /** Undefined if the service does not send mail. */
  readonly mails: AccountMails | undefined
  readonly flashMessages: FlashMessages
  readonly contact: string | undefined
  readonly readSample: () => Promise<CatalogSample>
}

const SIGN_IN_FORM = { email: schemas.email, password: schemas.password, return: schemas.path }
const SIGN_UP_FORM = { ...SIGN_IN_FORM, password: schemas.newPassword }

export function addSignInRoutes(app: FastifyInstance, dependencies: SettingsDependencies): void {
  const { ports, auth, passwords, signIn, limits, mails, flashMessages } = dependencies

  app.post('/settings/sign-up', async (request, reply) => {
    let form: SignInForm = 'sign-up'
    try {
      const { email, password, return: returnPath } = parseForm(SIGN_UP_FORM, request.body)
      const network = clientNetwork(request.ip)
      const cookies = await passwords.admit(network, async () => {
        const wait = await limits.signUps.take(network, ports.now())
        checkWait(wait, 'too_many_sign_ups', 'There were too many sign-ups from your network')
        await signUp(auth, ports, { email, password })
        mails?.send(email, 'sign-up')
        // An email that had an account gets what every sign-in with a wrong password gets.
        form = 'sign-in'
        const hint = 'If this email has an account already, sign in with its password.'
        return signInOnce(dependencies, request, { email, password }, hint)
      })
      reply.header('set-cookie', [...cookies])
      return await reply.redirect(readReturnPath(returnPath, '/settings'), 303)
    } catch (error) {
      return showFormError(dependencies, reply, form, error)
    }
  })

  app.post('/settings/sign-in', async (request, reply) => {
    try {
      const { email, password, return: returnPath } = parseForm(SIGN_IN_FORM, request.body)
      const cookies = await passwords.admit(clientNetwork(request.ip), () =>
        signInOnce(dependencies, request, { email, password }),
      )
      reply.header('set-cookie', [...cookies])
      return await reply.redirect(readReturnPath(returnPath, '/settings'), 303)
    } catch (error) {
      return showFormError(dependencies, reply, 'sign-in', error)
    }
  })

  app.post('/settings/sign-out', async (request, reply) => {
    const cookies = await signIn.signOut(readClientHeaders(request))
    reply.header('set-cookie', [...cookies])
    return flashMessages.set(reply, 'signed-out').redirect('/settings', 303)
  })
}

/** Checks a password, and counts it if it is wrong. Returns the cookies of the new session. */
async function signInOnce(
  dependencies: SettingsDependencies,
  request: FastifyRequest,
  credentials: Parameters<SignIn['signIn']>[0],
  hint = 'Check both and try again.',
): Promise<readonly string[]> {
  const { signIn } = dependencies
  const client = readClientHeaders(request)
  const { email } = credentials
  const device = await signIn.findDevice(email, client)
  const name = device === undefined ? `account ${email}` : `device ${email} ${device}`
  const attempt = await takePasswordAttempt(dependencies, request, name)
  const cookies = await signIn.signIn(credentials, client)
  const message = 'The email or the password is wrong'
  if (cookies === undefined) throw new WebError('invalid_form', message, hint)
  await attempt.succeed()
  return cookies
}

export function readClientHeaders({ headers }: FastifyRequest): ClientHeaders {
  return { cookie: headers.cookie, userAgent: headers['user-agent'] }
}

/**
 * Counts a password as wrong until it is known to be right, by name and by network.
 * @throws WebError `too_many_passwords`
 */
export async function takePasswordAttempt(
  { limits, ports: { now } }: Pick<SettingsDependencies, 'limits' | 'ports'>,
  { ip }: FastifyRequest,
  name: string,
): Promise<{ succeed(): Promise<void> }> {
  const network = clientNetwork(ip)
  const wait =
    (await limits.passwordsOfNetwork.take(network, now())) || (await limits.passwords.take(name, now()))
  checkWait(wait, 'too_many_passwords', 'There were too many wrong passwords')
  return {
    async succeed() {
      await limits.passwords.clear(name)
      // Beyond this limit, right passwords count like wrong ones, because they take the same work.
      if ((await limits.rightPasswordsOfNetwork.take(network, now())) === 0)
        await limits.passwordsOfNetwork.release(network, now())
    },
  }
}

/** @param wait seconds; 0 if within the limit */
export function checkWait(wait: number, code: WebErrorCode, message: string): void {
  if (wait === 0) return
  const isHourly = code === 'too_many_sign_ups' || code === 'too_many_mails'
  const hint = isHourly ? `Try again in ${Math.ceil(wait / 60)} min.` : `Try again in ${wait} seconds.`
  throw new WebError(code, message, hint, { retryAfter: wait })
}

export function readField({ body }: FastifyRequest, name: string, maxLength: number): string {
  const fields = typeof body === 'object' && body !== null ? Object.entries(body) : []
  const value: unknown = fields.find(([key]) => key === name)?.[1]
  return typeof value === 'string' ? value.slice(0, maxLength) : ''
}

async function showFormError(
  { ports, pages, mails }: SettingsDependencies,
  reply: FastifyReply,
  form: SignInForm,
  error: unknown,
): Promise<FastifyReply> {
  const { request } = reply
  const view: SignInView = {
    returnPath: readReturnPath(readField(request, 'return', MAX_RETURN_LENGTH), '/settings'),
    notice: undefined,
    form,
    error: startErrorReply(reply, error),
    email: readField(request, 'email', MAX_EMAIL_LENGTH),
    hasMail: mails !== undefined,
  }
  reply.header('cache-control', 'no-store')
  const signInPath = formatSignInPath(view.returnPath)
  const viewer = { mode: ports.mode.current(), account: undefined, signInPath }
  return pages.send(reply, { title: 'Settings', viewer, main: renderSignIn(view), section: 'settings' })
}

const MAX_RETURN_LENGTH = 4000

/** @throws any error that is not expected */
export function startErrorReply(reply: FastifyReply, error: unknown): FormError {
  if (!(error instanceof WebError)) throw error
  const { field, message, hint, status, retryAfter } = error
  if (retryAfter !== null) reply.header('retry-after', retryAfter)
  reply.code(status)
  return { field, text: `${message}. ${hint}` }
}

export type SignInForm = 'sign-in' | 'sign-up'

export interface SignInView {
  readonly form: SignInForm
  readonly returnPath: string
  readonly notice: string | undefined
  readonly error: FormError | undefined
  readonly email: string
  /** Whether passwords are reset by mail; otherwise operators hand out codes. */
  readonly hasMail: boolean
}

/** Renders one form, and a link to the other. */
export function renderSignIn({ form, returnPath, notice, error, email, hasMail }: SignInView): Html {
  const isNew = form === 'sign-up'
  const refusal = findFieldError(error, null)
  const query = returnPath === '/settings' ? '' : `?${new URLSearchParams({ return: returnPath }).toString()}`
  const title = isNew ? 'Create a free account' : 'Sign in'
  return html`<div class="lead sign-in">
      <h1>${title}</h1>
      <p class="quiet">
        ${isNew ? 'A free key reads the beginning of each pack, 10 requests a day.' : 'You can browse without an account.'}
        <a class="whole" href="/docs#tiers">Compare Free and Pro</a>.
      </p>
    </div>
    ${notice !== undefined && html`<p class="note" role="status">${notice}</p>`}
    <section class="card sign-in" aria-label="${title}">
      <form action="/settings/${form}" method="post">
        ${refusal !== undefined && html`<p class="note note-bad" role="alert">${refusal}</p>`}
        ${query !== '' && html`<input type="hidden" name="return" value="${returnPath}" />`}
        ${renderField({ ...fields.email, value: email }, error)}
        ${renderField(isNew ? { ...fields.newPassword, id: 'password', name: 'password', label: 'Password' } : fields.password, error)}
        <p class="actions"><button class="primary">${isNew ? 'Create account' : 'Sign in'}</button></p>
      </form>
      ${!isNew && html`<p class="quiet">${hasMail ? html`<a href="/settings/forgot">Forgot password?</a>` : 'Forgot your password? Ask the operator for a code.'} <a class="whole" href="/settings/code">I have a code</a></p>`}
    </section>
    <p class="sign-in">
      ${isNew ? html`Have an account? <a href="/settings${query}">Sign in</a>` : html`New here? <a href="/settings/sign-up${query}">Create a free account</a>`}
    </p>`
}
