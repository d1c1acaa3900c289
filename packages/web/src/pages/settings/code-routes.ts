import { checkCode, clientNetwork, openWithCode, proveAddress } from '@packs/catalog'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hashPassword } from '../../accounts/sign-up.ts'
import type { Html } from '../../html/html.ts'
import { WebError } from '../../web-error.ts'
import { addPage, readQuery } from '../serve-page.ts'
import { renderCode, renderForgot, renderVerify, type CodeView } from './code-page.ts'
import { forms, MAX_CODE_LENGTH, MAX_EMAIL_LENGTH, parseForm } from './parse-form.ts'
import { renderSignIn } from './sign-in-page.ts'
import { readClientHeaders, readField, type SettingsDependencies } from './sign-in-routes.ts'

/**
 * Adds the pages that take one-time codes, and the form that asks for one by mail. Opening a page uses up no code, so programs
 * that look at the links in mails do no harm.
 */
export function addCodeRoutes(app: FastifyInstance, dependencies: SettingsDependencies): void {
  const { ports, pages, auth, signIn, limits, mails, flashMessages } = dependencies
  const { catalog, now } = ports

  addPage(app, '/settings/code', async (request, reply) => {
    const { notice } = flashMessages.consume(request, reply)
    const view = { ...EMPTY_VIEW, notice, code: readCode(request) }
    return sendPage(dependencies, request, reply, renderCode(view))
  })

  app.post('/settings/code', async (request, reply) => {
    try {
      const { email, code, new_password: password } = parseForm(forms.code, request.body)
      await takeCodeAttempt(request)
      if ((await checkCode(catalog, email, code, now())) === undefined) throw wrongCodeError()
      const passwordHash = await hashPassword(auth, password)
      const account = await openWithCode(catalog, email, { code, passwordHash }, now())
      if (account === undefined) throw wrongCodeError()
      await releaseCodeAttempt(request)
      const cookies = await signIn.signIn({ email, password }, readClientHeaders(request))
      if (cookies !== undefined) reply.header('set-cookie', [...cookies])
      return await flashMessages.set(reply, 'account-opened').redirect('/settings', 303)
    } catch (error) {
      return showError(request, reply, error, renderCode)
    }
  })

  addPage(app, '/settings/forgot', (request, reply) =>
    sendPage(dependencies, request, reply, renderForgot(EMPTY_VIEW, mails !== undefined)),
  )

  app.post('/settings/forgot', async (request, reply) => {
    try {
      const { email } = parseForm(forms.forgot, request.body)
      if (mails !== undefined) {
        await takeMail(request)
        mails.send(email, 'reset')
        flashMessages.set(reply, 'code-mailed')
      }
      return await reply.redirect(mails === undefined ? '/settings/forgot' : '/settings/code', 303)
    } catch (error) {
      return showError(request, reply, error, (view) => renderForgot(view, mails !== undefined))
    }
  })

  addPage(app, '/settings/verify', async (request, reply) => {
    const { account } = await pages.findViewer(request, reply)
    const code = readCode(request)
    if (account === undefined) {
      const returnPath = `/settings/verify?${new URLSearchParams({ code }).toString()}`
      const view = { returnPath, notice: 'Sign in to confirm your address.', error: undefined, email: '' }
      return sendPage(dependencies, request, reply, renderSignIn({ ...view, hasMail: mails !== undefined }))
    }
    if (account.proven) return reply.redirect('/settings', 303)
    const main = renderVerify({ ...EMPTY_VIEW, code, email: account.email })
    return sendPage(dependencies, request, reply, main)
  })

  app.post('/settings/verify', async (request, reply) => {
    const { account } = await pages.findViewer(request, reply)
    if (account === undefined) return flashMessages.set(reply, 'session-ended').redirect('/settings', 303)
    try {
      const { code } = parseForm(forms.verify, request.body)
      await takeCodeAttempt(request)
      if ((await proveAddress(catalog, account.id, code, now())) === undefined) throw wrongCodeError()
      await releaseCodeAttempt(request)
      return await flashMessages.set(reply, 'address-verified').redirect('/settings', 303)
    } catch (error) {
      return showError(request, reply, error, (view) => renderVerify({ ...view, email: account.email }))
    }
  })

  app.post('/settings/verify/send', async (request, reply) => {
    const { account } = await pages.findViewer(request, reply)
    if (account === undefined) return flashMessages.set(reply, 'session-ended').redirect('/settings', 303)
    if (mails === undefined || account.proven) return reply.redirect('/settings', 303)
    await takeMail(request)
    mails.send(account.email, 'verify')
    return flashMessages.set(reply, 'verification-mailed').redirect('/settings', 303)
  })

  async function takeCodeAttempt({ ip }: FastifyRequest): Promise<void> {
    const wait = await limits.codes.take(clientNetwork(ip), now())
    if (wait === 0) return
    const hint = `Wait ${wait} s, then try again.`
    throw new WebError('too_many_codes', 'There were too many wrong codes', hint, { retryAfter: wait })
  }

  async function releaseCodeAttempt({ ip }: FastifyRequest): Promise<void> {
    await limits.codes.release(clientNetwork(ip), now())
  }

  async function takeMail({ ip }: FastifyRequest): Promise<void> {
    const wait = await limits.mailsOfNetwork.take(clientNetwork(ip), now())
    if (wait === 0) return
    const hint = `Try again in ${Math.ceil(wait / 60)} min.`
    const message = 'Your network asked for too many mails'
    throw new WebError('too_many_mails', message, hint, { retryAfter: wait })
  }

  /** Shows the form again with the error, and with what was entered except the password. */
  function showError(
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
    return sendPage(dependencies, request, reply, render(view))
  }
}

const EMPTY_VIEW: CodeView = { email: '', code: '', notice: undefined, error: undefined }

/** Sends a page. If its URL holds a code, no other page learns the URL. */
async function sendPage(
  { pages }: SettingsDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  main: Html,
): Promise<FastifyReply> {
  reply.header('cache-control', 'no-store')
  if (request.url.includes('?')) reply.header('referrer-policy', 'no-referrer')
  const viewer = await pages.findViewer(request, reply)
  return pages.send(reply, { title: 'Settings', viewer, main, section: 'settings' })
}

function readCode({ url }: FastifyRequest): string {
  const { code } = readQuery(url)
  return typeof code === 'string' ? code.slice(0, MAX_CODE_LENGTH) : ''
}

function wrongCodeError(): WebError {
  const message = 'The code is wrong, used or expired, or belongs to another address'
  return new WebError('invalid_form', message, 'Check both, or ask for a new code.', { field: 'code' })
}
