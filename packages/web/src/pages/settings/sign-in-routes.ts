import { clientNetwork } from '@packs/catalog'
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
}

const SIGN_IN_FORM = { email: schemas.email, password: schemas.password, return: schemas.path }
const SIGN_UP_FORM = { ...SIGN_IN_FORM, password: schemas.newPassword }

export function addSignInRoutes(app: FastifyInstance, dependencies: SettingsDependencies): void {
  const { ports, auth, passwords, signIn, limits, mails, flashMessages } = dependencies

  app.post('/settings/sign-up', async (request, reply) => {
    try {
      const { email, password, return: returnPath } = parseForm(SIGN_UP_FORM, request.body)
      const network = clientNetwork(request.ip)
      await passwords.admit(network, async () => {
        const wait = await limits.signUps.take(network, ports.now())
        checkWait(wait, 'too_many_sign_ups', 'There were too many sign-ups from your network')
        await signUp(auth, ports, { email, password })
      })
      mails?.send(email, 'sign-up')
      const signInPath = formatSignInPath(readReturnPath(returnPath, '/settings'))
      return await flashMessages.set(reply, 'signed-up', email).redirect(signInPath, 303)
    } catch (error) {
      return showFormError(dependencies, reply, 'sign-up', error)
    }
  })

  app.post('/settings/sign-in', async (request, reply) => {
    try {
      const { email, password, return: returnPath } = parseForm(SIGN_IN_FORM, request.body)
      const client = readClientHeaders(request)
      const cookies = await passwords.admit(clientNetwork(request.ip), async () => {
        const device = await signIn.findDevice(email, client)
        const name = device === undefined ? `account ${email}` : `device ${email} ${device}`
        const attempt = await takePasswordAttempt(dependencies, request, name)
        const found = await signIn.signIn({ email, password }, client)
        const message = 'The email or the password is wrong'
        if (found === undefined) throw new WebError('invalid_form', message, 'Check both and try again.')
        await attempt.succeed()
        return found
      })
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
  form: 'sign-in' | 'sign-up',
  error: unknown,
): Promise<FastifyReply> {
  const { request } = reply
  const formError = startErrorReply(reply, error)
  const view: SignInView = {
    returnPath: readReturnPath(readField(request, 'return', MAX_RETURN_LENGTH), '/settings'),
    notice: undefined,
    error: { form, ...formError },
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

interface SignInView {
  readonly returnPath: string
  readonly notice: string | undefined
  readonly error: SignInError | undefined
  readonly email: string
  /** Whether passwords are reset by mail; otherwise operators hand out codes. */
  readonly hasMail: boolean
}

interface SignInError extends FormError {
  readonly form: 'sign-in' | 'sign-up'
}

const NEW_ACCOUNT_PASSWORD = {
  ...fields.newPassword,
  id: 'sign-up-password',
  name: 'password',
  label: 'Password',
}

export function renderSignIn(view: SignInView): Html {
  const { notice, hasMail } = view
  return html`<div class="lead">
      <h1>Sign in or create an account</h1>
      <p class="quiet">
        Free accounts read previews. Pro accounts read whole packs and combine them in prompts.
        <a href="/docs#tiers">Compare both</a>. You can browse without an account.
      </p>
    </div>
    ${notice !== undefined && html`<p class="note" role="status">${notice}</p>`}
    <div class="pair">
      <section class="card" aria-labelledby="sign-in">
        <h2 id="sign-in">Sign in</h2>
        <form action="/settings/sign-in" method="post">
          ${renderSharedFields(view, 'sign-in')}
          ${renderField({ ...fields.password, id: 'sign-in-password' }, selectFormError(view, 'sign-in'))}
          <p class="actions"><button class="primary">Sign in</button></p>
        </form>
        <p class="quiet">
          ${hasMail ? html`<a href="/settings/forgot">Forgot password?</a>` : 'Forgot your password? Ask the operator for a code.'}
          <a class="whole" href="/settings/code">I have a code</a>
        </p>
      </section>
      <section class="card" aria-labelledby="sign-up">
        <h2 id="sign-up">New here?</h2>
        <form action="/settings/sign-up" method="post">
          ${renderSharedFields(view, 'sign-up')}
          ${renderField(NEW_ACCOUNT_PASSWORD, selectFormError(view, 'sign-up'))}
          <p class="actions"><button>Sign up</button></p>
        </form>
      </section>
    </div>`
}

/** Renders what both forms share: the error of the whole form, the return path and the email. */
function renderSharedFields(view: SignInView, form: SignInError['form']): Html {
  const { returnPath, email } = view
  const error = selectFormError(view, form)
  const refusal = findFieldError(error, null)
  return html`${refusal !== undefined && html`<p class="note note-bad" role="alert">${refusal}</p>`}
  ${returnPath !== '/settings' && html`<input type="hidden" name="return" value="${returnPath}" />`}
  ${renderField({ ...fields.email, id: `${form}-email`, value: email }, error)}`
}

function selectFormError({ error }: SignInView, form: SignInError['form']): FormError | undefined {
  return error?.form === form ? error : undefined
}
