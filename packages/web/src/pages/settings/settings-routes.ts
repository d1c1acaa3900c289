import { randomUUID } from 'node:crypto'
import { CatalogError, clientNetwork } from '@packs/catalog'
import type { Account, Actor, KeyRow, SharedRateLimiter } from '@packs/catalog'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readReturnPath } from '../../security/cross-site-protection.ts'
import { WebError } from '../../web-error.ts'
import { addPage, readQuery } from '../serve-page.ts'
import type { FlashMessageName } from './flash-messages.ts'
import { parseForm, schemas } from './form-fields.ts'
import { renderRevoke, renderSettings } from './settings-page.ts'
import { renderSignIn, readClientHeaders, readField, takePasswordAttempt } from './sign-in-routes.ts'
import type { SettingsDependencies, SignInForm } from './sign-in-routes.ts'

interface Outcome {
  readonly notice?: string | undefined
  readonly error?: WebError | undefined
  readonly newKey?: string | undefined
}

/** Form targets. The address bar shows them after an error, so opening one leads to Settings. */
const FORM_PATHS =
  'sign-in sign-out password verify/send sessions keys keys/:id/rotate keys/:id/restore'.split(' ')

export function addSettingsRoutes(app: FastifyInstance, dependencies: SettingsDependencies): void {
  const { ports, pages, passwords, signIn, limits, flashMessages } = dependencies
  const { catalog, now } = ports

  addPage(app, '/settings', (_request, reply) => showOwnPage(dependencies, reply, 'sign-in'))
  addPage(app, '/settings/sign-up', (_request, reply) => showOwnPage(dependencies, reply, 'sign-up'))
  addRevokePage(app, dependencies)
  for (const path of FORM_PATHS)
    addPage(app, `/settings/${path}`, (_request, reply) => reply.redirect('/settings', 303))

  /** Adds the route of a form for signed-in visitors. Others are sent to the sign-in page. */
  const onPost = <Params>(
    path: string,
    action: (
      account: Account,
      request: FastifyRequest<{ Params: Params }>,
      reply: FastifyReply,
    ) => Promise<Outcome | FlashMessageName>,
  ): void => {
    app.post<{ Params: Params }>(path, async (request, reply) => {
      const { account } = await pages.findViewer(reply)
      if (account === undefined) return flashMessages.set(reply, 'session-ended').redirect('/settings', 303)
      const outcome = await action(account, request, reply).catch(toOutcome)
      if (typeof outcome === 'string') return flashMessages.set(reply, outcome).redirect('/settings', 303)
      return showSettings(dependencies, reply, account, outcome)
    })
  }

  onPost('/settings/keys', async (account, { body }) => {
    const { name, token } = parseForm({ name: schemas.keyName, token: schemas.token }, body)
    const { id: accountId, reset_at: resetAt } = account
    const { key } = await submitOnce(limits.forms, `${accountId} ${token}`, now(), () =>
      catalog.keys.create({ accountId, name, resetAt, actor: toActor(account) }, now()),
    )
    return { newKey: key }
  })

  onPost<{ id: string }>('/settings/keys/:id/rotate', async (account, { params, body }) => {
    const { id } = await requireOwnKey(account, params.id)
    const { token } = parseForm({ token: schemas.token }, body)
    const { key } = await submitOnce(limits.forms, `${id} ${token}`, now(), () =>
      catalog.keys.rotate(id, toActor(account), now()),
    )
    return { newKey: key, notice: 'The old key works for 24 more hours, or until you revoke it.' }
  })

  for (const way of ['revoke', 'restore'] as const)
    onPost<{ id: string }>(`/settings/keys/:id/${way}`, async (account, { params }) => {
      const { id } = await requireOwnKey(account, params.id)
      await catalog.keys[way](id, toActor(account), now())
      return way === 'revoke' ? 'key-revoked' : 'key-restored'
    })

  onPost('/settings/password', async (account, request, reply) => {
    const form = { password: schemas.password, new_password: schemas.newPassword }
    const { password, new_password: newPassword } = parseForm(form, request.body)
    // Counted apart from sign-ins, so that strangers' attempts do not keep the owner from changing the password.
    const cookies = await passwords.admit(clientNetwork(request.ip), async () => {
      const attempt = await takePasswordAttempt(dependencies, request, `change ${account.id}`)
      const change = { account, password, newPassword }
      const found = await signIn.changePassword(change, readClientHeaders(request))
      const [message, hint] = ['The current password is wrong', 'Check it and try again.']
      if (found === undefined) throw new WebError('invalid_form', message, hint, { field: 'password' })
      await attempt.succeed()
      return found
    })
    reply.header('set-cookie', [...cookies])
    return 'password-changed'
  })

  onPost('/settings/sessions', async (_account, request) => {
    await signIn.endOtherSessions(readClientHeaders(request))
    return 'sessions-ended'
  })

  async function requireOwnKey(account: Account, id: string): Promise<KeyRow> {
    const key = await catalog.keys.find(id)
    if (key?.account_id === account.id) return key
    throw new WebError('unknown_key', 'You have no such key', 'Choose one from the list.')
  }
}

function addRevokePage(app: FastifyInstance, { ports, pages }: SettingsDependencies): void {
  addPage<{ id: string }>(app, '/settings/keys/:id/revoke', async (request, reply) => {
    const viewer = await pages.findViewer(reply)
    const key = viewer.account && (await ports.catalog.keys.find(request.params.id))
    if (key === undefined || key.account_id !== viewer.account?.id || key.revoked_at !== null)
      return reply.redirect('/settings', 303)
    reply.header('cache-control', 'no-store')
    return pages.send(reply, { title: 'Revoke a key', viewer, main: renderRevoke(key), section: 'settings' })
  })
}

function toActor({ id }: Account): Actor {
  return { kind: 'account', id }
}

/** Shows Settings to a signed-in visitor, and a form to others. */
async function showOwnPage(
  dependencies: SettingsDependencies,
  reply: FastifyReply,
  form: SignInForm,
): Promise<FastifyReply> {
  const { pages, mails, flashMessages } = dependencies
  const notice = flashMessages.consume(reply)
  const viewer = await pages.findViewer(reply)
  if (viewer.account !== undefined) return showSettings(dependencies, reply, viewer.account, { notice })
  const returnPath = readReturnPath(readQuery(reply.request.url)['return'], '/settings')
  const view = { returnPath, notice, error: undefined, email: '', hasMail: mails !== undefined }
  const main = renderSignIn({ ...view, form })
  reply.header('cache-control', 'no-store')
  return pages.send(reply, { title: 'Settings', viewer, main, section: 'settings' })
}

/** Runs `action` once per form, because reloading the result page sends the form again. */
async function submitOnce<T>(
  limiter: SharedRateLimiter,
  name: string,
  now: Date,
  action: () => Promise<T>,
): Promise<T> {
  if ((await limiter.take(name, now)) > 0) {
    const hint = 'No new key was created. If you did not copy the first one, revoke it and create another.'
    throw new WebError('key_refused', 'This form was already sent', hint)
  }
  try {
    return await action()
  } catch (error) {
    await limiter.release(name, now)
    throw error
  }
}

async function showSettings(
  { ports, pages, signIn, mails, contact, readSample }: SettingsDependencies,
  reply: FastifyReply,
  account: Account,
  { notice, error, newKey }: Outcome,
): Promise<FastifyReply> {
  const { catalog, quota } = ports
  const now = ports.now()
  const mode = ports.mode.current()
  const [usage, keys, sessions] = await Promise.all([
    quota.peek(account, now),
    catalog.keys.list(account.id),
    signIn.listSessions(readClientHeaders(reply.request)),
  ])
  // A key that was created is shown even if the catalog cannot be read. The page is not cached.
  const call = newKey && (await readSample().catch(() => undefined))?.ask.replace('$PACK_KEY', newKey)
  const hasMail = mails !== undefined
  const facts = { account, usage, keys, sessions, now, notice, newKey, call, contact, hasMail }
  const suggested = keys.length === 0 ? 'my program' : ''
  const keyName = error === undefined ? suggested : readField(reply.request, 'name', MAX_NAME_LENGTH)
  const form = { canCreateKeys: mode.mode !== 'recovery', formToken: randomUUID(), keyName }
  const formError = error && { field: error.field, text: `${error.message}. ${error.hint}` }
  const main = renderSettings({ ...facts, ...form, error: formError })
  if (error !== undefined) {
    reply.code(error.status)
    const retryAfter = error.code === 'recovery_mode' ? mode.retry_after : error.retryAfter
    if (retryAfter !== null) reply.header('retry-after', retryAfter)
  }
  reply.header('cache-control', 'no-store')
  return pages.send(reply, { title: 'Settings', viewer: { mode, account }, main, section: 'settings' })
}

/** Of the name of a key that is shown again in its form. */
const MAX_NAME_LENGTH = 400

/** @throws any error that is not expected */
function toOutcome(error: unknown): Outcome | FlashMessageName {
  if (error instanceof WebError) return { error }
  if (!(error instanceof CatalogError)) throw error
  const { message, hint } = error
  switch (error.code) {
    case 'recovery_mode':
      return { error: new WebError('recovery_mode', message, 'Try again when the service is back online.') }
    case 'access_ended':
    case 'account_disabled':
    case 'unknown_account':
      return 'session-ended'
    case 'unknown_key':
      return { error: new WebError('unknown_key', message, hint) }
    case 'invalid_key':
      return { error: new WebError('invalid_form', message, hint, { field: 'name' }) }
    case 'key_ended':
    case 'too_many_keys':
      return { error: new WebError('key_refused', message, hint) }
    default:
      throw error
  }
}
