import { clientNetwork } from '@packs/catalog'
import type { FastifyInstance } from 'fastify'
import { hashPassword } from '../../accounts/sign-up.ts'
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
import { renderCode, renderForgot } from './code-page.ts'
import { forms, parseForm } from './parse-form.ts'
import { readClientHeaders, type SettingsDependencies } from './sign-in-routes.ts'

/**
 * Adds the page that takes one-time codes, and the one that asks for a code by mail. Opening a page uses up no code, so programs
 * that look at the links in mails do no harm.
 */
export function addCodeRoutes(app: FastifyInstance, dependencies: SettingsDependencies): void {
  const { ports, auth, passwords, signIn, mails, flashMessages } = dependencies
  const { catalog, now } = ports
  const hasMail = mails !== undefined

  addPage(app, '/settings/code', async (request, reply) => {
    const { notice } = flashMessages.consume(request, reply)
    const main = renderCode({ ...EMPTY_VIEW, notice, code: readCode(request) })
    return sendCodePage(dependencies, request, reply, main)
  })

  app.post('/settings/code', async (request, reply) => {
    try {
      const { email, code, new_password: password } = parseForm(forms.code, request.body)
      const cookies = await passwords.admit(clientNetwork(request.ip), async () => {
        const attempt = await takeCodeAttempt(dependencies, request)
        if ((await catalog.accounts.checkCode(email, code, now())) === undefined) throw wrongCodeError()
        const passwordHash = await hashPassword(auth, password)
        const account = await catalog.accounts.open(email, { code, passwordHash, now: now() })
        if (account === undefined) throw wrongCodeError()
        await attempt.succeed()
        return signIn.signIn({ email, password }, readClientHeaders(request))
      })
      if (cookies !== undefined) reply.header('set-cookie', [...cookies])
      return await flashMessages.set(reply, 'account-opened').redirect('/settings', 303)
    } catch (error) {
      return showCodeError(dependencies, request, reply, error, renderCode)
    }
  })

  addPage(app, '/settings/forgot', (request, reply) =>
    sendCodePage(dependencies, request, reply, renderForgot(EMPTY_VIEW, hasMail)),
  )

  app.post('/settings/forgot', async (request, reply) => {
    try {
      const { email } = parseForm(forms.forgot, request.body)
      if (mails === undefined) return await reply.redirect('/settings/forgot', 303)
      await takeMail(dependencies, request)
      mails.send(email, 'reset')
      return await flashMessages.set(reply, 'code-mailed').redirect('/settings/code', 303)
    } catch (error) {
      return showCodeError(dependencies, request, reply, error, (view) => renderForgot(view, hasMail))
    }
  })
}
