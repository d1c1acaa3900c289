import type { FastifyInstance } from 'fastify'
import { addPage } from '../serve-page.ts'
import {
  EMPTY_VIEW,
  readCode,
  sendCodePage,
  showCodeError,
  takeCodeAttempt,
  takeMail,
  wrongCodeError,
} from './code-forms.ts'
import { renderVerify } from './code-page.ts'
import { forms, parseForm } from './parse-form.ts'
import { renderSignIn } from './sign-in-page.ts'
import type { SettingsDependencies } from './sign-in-routes.ts'

/**
 * Adds the page to which the mail after a sign-up leads. Its code proves the address only for a visitor who is signed in to that
 * account: the owner of the address must not confirm the account of somebody else who signed up with it.
 */
export function addVerifyRoutes(app: FastifyInstance, dependencies: SettingsDependencies): void {
  const { ports, pages, mails, flashMessages } = dependencies
  const { catalog, now } = ports

  addPage(app, '/settings/verify', async (request, reply) => {
    const { account } = await pages.findViewer(request, reply)
    const code = readCode(request)
    if (account === undefined) {
      const returnPath = `/settings/verify?${new URLSearchParams({ code }).toString()}`
      const view = { returnPath, notice: 'Sign in to confirm your address.', error: undefined, email: '' }
      const main = renderSignIn({ ...view, hasMail: mails !== undefined })
      return sendCodePage(dependencies, request, reply, main)
    }
    if (account.proven) return reply.redirect('/settings', 303)
    const main = renderVerify({ ...EMPTY_VIEW, code, email: account.email })
    return sendCodePage(dependencies, request, reply, main)
  })

  app.post('/settings/verify', async (request, reply) => {
    const { account } = await pages.findViewer(request, reply)
    if (account === undefined) return flashMessages.set(reply, 'session-ended').redirect('/settings', 303)
    try {
      const { code } = parseForm(forms.verify, request.body)
      const attempt = await takeCodeAttempt(dependencies, request)
      if ((await catalog.accounts.proveAddress(account.id, code, now())) === undefined) throw wrongCodeError()
      await attempt.succeed()
      return await flashMessages.set(reply, 'address-verified').redirect('/settings', 303)
    } catch (error) {
      const { email } = account
      return showCodeError(dependencies, request, reply, error, (view) => renderVerify({ ...view, email }))
    }
  })

  app.post('/settings/verify/send', async (request, reply) => {
    const { account } = await pages.findViewer(request, reply)
    if (account === undefined) return flashMessages.set(reply, 'session-ended').redirect('/settings', 303)
    if (mails === undefined || account.proven) return reply.redirect('/settings', 303)
    await takeMail(dependencies, request)
    mails.send(account.email, 'verify')
    return flashMessages.set(reply, 'verification-mailed').redirect('/settings', 303)
  })
}
