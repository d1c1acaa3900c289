import { clientNetwork } from '@packs/catalog'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hashPassword } from '../../accounts/create-sign-in.ts'
import { addPage, readQuery } from '../serve-page.ts'
import {
  schemas,
  parseForm,
  MAX_CODE_LENGTH,
  MAX_EMAIL_LENGTH,
  fields,
  findFieldError,
  renderField,
} from './form-fields.ts'
import { checkWait, readClientHeaders, readField, startErrorReply, renderSignIn } from './sign-in-routes.ts'
import type { SettingsDependencies, SignInView } from './sign-in-routes.ts'
import { type Html, html } from '@packs/theme'
import { WebError } from '../../web-error.ts'

/** Opening a page does not use up a code: programs that follow links in mails do no harm. */
export function addCodeRoutes(app: FastifyInstance, dependencies: SettingsDependencies): void {
  const { ports, auth, passwords, signIn, mails, flashMessages } = dependencies
  const { catalog, now } = ports
  const hasMail = mails !== undefined

  addPage(app, '/settings/code', async (request, reply) => {
    const notice = flashMessages.consume(reply)
    const main = renderCode({ ...EMPTY_VIEW, notice, code: readCode(request) })
    return sendCodePage(dependencies, reply, main)
  })

  app.post('/settings/code', async (request, reply) => {
    try {
      const { email, code, new_password: password } = parseForm(CODE_FORM, request.body)
      const cookies = await passwords.admit(clientNetwork(request.ip), async () => {
        const attempt = await takeCodeAttempt(dependencies, request)
        if ((await catalog.accounts.checkCode(email, code, now())) === undefined) throw wrongCodeError()
        const passwordHash = await hashPassword(auth, password)
        const account = await catalog.accounts.resetAccess(email, { code, passwordHash, now: now() })
        if (account === undefined) throw wrongCodeError()
        await attempt.succeed()
        return signIn.signIn({ email, password }, readClientHeaders(request))
      })
      if (cookies !== undefined) reply.header('set-cookie', [...cookies])
      return await flashMessages.set(reply, 'account-opened').redirect('/settings', 303)
    } catch (error) {
      return showCodeError(dependencies, reply, error, renderCode)
    }
  })

  addPage(app, '/settings/forgot', (_request, reply) =>
    sendCodePage(dependencies, reply, renderForgot(EMPTY_VIEW, hasMail)),
  )

  app.post('/settings/forgot', async (request, reply) => {
    try {
      const { email } = parseForm({ email: schemas.email }, request.body)
      if (mails === undefined) return await reply.redirect('/settings/forgot', 303)
      await takeMail(dependencies, request)
      mails.send(email, 'reset')
      return await flashMessages.set(reply, 'code-mailed').redirect('/settings/code', 303)
    } catch (error) {
      return showCodeError(dependencies, reply, error, (view) => renderForgot(view, hasMail))
    }
  })
}

type Dependencies = Pick<SettingsDependencies, 'ports' | 'pages' | 'limits'>

const CODE_FORM = { email: schemas.email, code: schemas.code, new_password: schemas.newPassword }
const EMPTY_VIEW: CodeView = { email: '', code: '', notice: undefined, error: undefined }

/** @throws WebError `too_many_codes` */
async function takeCodeAttempt(
  { limits, ports: { now } }: Dependencies,
  { ip }: FastifyRequest,
): Promise<{ succeed(): Promise<void> }> {
  const network = clientNetwork(ip)
  const wait = await limits.codes.take(network, now())
  checkWait(wait, 'too_many_codes', 'There were too many wrong codes from your network')
  return { succeed: () => limits.codes.release(network, now()) }
}

/** @throws WebError `too_many_mails` */
async function takeMail({ limits, ports: { now } }: Dependencies, { ip }: FastifyRequest): Promise<void> {
  const wait = await limits.mailsOfNetwork.take(clientNetwork(ip), now())
  checkWait(wait, 'too_many_mails', 'Too many mails were requested from your network')
}

/** Sends a page. If its URL contains a code, it is not sent to other pages as the referrer. */
async function sendCodePage({ pages }: Dependencies, reply: FastifyReply, main: Html): Promise<FastifyReply> {
  reply.header('cache-control', 'no-store')
  if (reply.request.url.includes('?')) reply.header('referrer-policy', 'no-referrer')
  const viewer = await pages.findViewer(reply)
  return pages.send(reply, { title: 'Settings', viewer, main, section: 'settings' })
}

/** @throws any error that is not expected */
function showCodeError(
  dependencies: Dependencies,
  reply: FastifyReply,
  error: unknown,
  render: (view: CodeView) => Html,
): Promise<FastifyReply> {
  const view: CodeView = {
    email: readField(reply.request, 'email', MAX_EMAIL_LENGTH),
    code: readField(reply.request, 'code', MAX_CODE_LENGTH),
    notice: undefined,
    error: startErrorReply(reply, error),
  }
  return sendCodePage(dependencies, reply, render(view))
}

function readCode({ url }: FastifyRequest): string {
  const { code } = readQuery(url)
  return typeof code === 'string' ? code.slice(0, MAX_CODE_LENGTH) : ''
}

function wrongCodeError(): WebError {
  const message = 'The code is wrong, used or expired, or is for another email'
  const hint = 'Check the code and the email, or ask for a new code.'
  return new WebError('invalid_form', message, hint, { field: 'code' })
}

/**
 * The mail after a sign-up links here. A code counts only for a visitor who is signed in: the owner
 * of the email must not confirm an account that somebody else created with it.
 */
export function addVerifyRoutes(app: FastifyInstance, dependencies: SettingsDependencies): void {
  const { ports, pages, mails, flashMessages } = dependencies
  const { catalog, now } = ports

  addPage(app, '/settings/verify', async (request, reply) => {
    const { account } = await pages.findViewer(reply)
    const code = readCode(request)
    if (account === undefined) {
      const returnPath = `/settings/verify?${new URLSearchParams({ code }).toString()}`
      const view = { returnPath, notice: 'Sign in to confirm your email.', error: undefined, email: '' }
      const main = renderSignIn({ ...view, form: 'sign-in', hasMail: mails !== undefined })
      return sendCodePage(dependencies, reply, main)
    }
    if (account.verified) return reply.redirect('/settings', 303)
    const main = renderVerify({ ...EMPTY_VIEW, code, email: account.email })
    return sendCodePage(dependencies, reply, main)
  })

  app.post('/settings/verify', async (request, reply) => {
    const { account } = await pages.findViewer(reply)
    if (account === undefined) return flashMessages.set(reply, 'session-ended').redirect('/settings', 303)
    try {
      const { code } = parseForm({ code: schemas.code }, request.body)
      const attempt = await takeCodeAttempt(dependencies, request)
      if ((await catalog.accounts.verifyAddress(account.id, code, now())) === undefined)
        throw wrongCodeError()
      await attempt.succeed()
      return await flashMessages.set(reply, 'address-verified').redirect('/settings', 303)
    } catch (error) {
      const { email } = account
      return showCodeError(dependencies, reply, error, (view) => renderVerify({ ...view, email }))
    }
  })

  app.post('/settings/verify/send', async (request, reply) => {
    const { account } = await pages.findViewer(reply)
    if (account === undefined) return flashMessages.set(reply, 'session-ended').redirect('/settings', 303)
    if (mails === undefined || account.verified) return reply.redirect('/settings', 303)
    await takeMail(dependencies, request)
    mails.send(account.email, 'verify')
    return flashMessages.set(reply, 'verification-mailed').redirect('/settings', 303)
  })
}

interface CodeView extends Pick<SignInView, 'email' | 'notice' | 'error'> {
  readonly code: string
}

function renderCode(view: CodeView): Html {
  return html`${renderLead(view, 'Set a password with a code', 'The code comes from the operator or from a mail and works once. It sets a new password for your account and ends all other sessions.')}
    <section class="card" aria-label="Code and new password">
      <form action="/settings/code" method="post">
        ${renderField({ ...fields.email, value: view.email }, view.error)}
        ${renderField({ ...fields.code, value: view.code }, view.error)}
        ${renderField(fields.newPassword, view.error)}
        <p class="actions"><button class="primary">Set password and sign in</button></p>
      </form>
    </section>`
}

function renderForgot(view: CodeView, hasMail: boolean): Html {
  const text = hasMail
    ? 'Enter the email of your account to get a mail with a link for choosing a new password.'
    : 'This service does not send mail. Ask the operator for a code.'
  return html`${renderLead(view, 'Forgot password?', text)}
    ${
      hasMail &&
      html`<section class="card" aria-label="Email of your account">
        <form action="/settings/forgot" method="post">
          ${renderField({ ...fields.email, value: view.email }, view.error)}
          <p class="actions"><button class="primary">Send the mail</button></p>
        </form>
      </section>`
    }
    <p><a href="/settings/code">I have a code</a></p>`
}

function renderVerify(view: CodeView): Html {
  return html`${renderLead(view, 'Confirm your email', `You are signed in as ${view.email}. Confirm only if you signed up yourself.`)}
    <section class="card" aria-label="Code from the mail">
      <form action="/settings/verify" method="post">
        ${renderField({ ...fields.code, value: view.code }, view.error)}
        <p class="actions"><button class="primary">Confirm this email</button></p>
      </form>
    </section>`
}

function renderLead({ notice, error }: CodeView, title: string, text: string): Html {
  const refusal = findFieldError(error, null)
  return html`<div class="lead">
      <h1>${title}</h1>
      <p class="quiet">${text}</p>
    </div>
    ${notice !== undefined && html`<p class="note note-good" role="status">${notice}</p>`}
    ${refusal !== undefined && html`<p class="note note-bad" role="alert">${refusal}</p>`}`
}
