import { randomUUID } from 'node:crypto'
import {
  type Account,
  CatalogError,
  clientNetwork,
  createKey,
  type KeyRow,
  revokeKey,
  rotateKey,
  type SharedRateLimiter,
} from '@packs/catalog'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addPage, readQuery } from '../serve-page.ts'
import { readReturnPath } from '../../security/read-return-path.ts'
import { WebError } from '../../web-error.ts'
import { forms, parseForm } from './parse-form.ts'
import type { NoticeName } from './create-notices.ts'
import { renderSettings } from './settings-page.ts'
import { renderSignIn } from './sign-in-page.ts'
import { readSender, refusePasswords, type SignInParts } from './sign-in-routes.ts'

interface Outcome {
  readonly notice?: string | undefined
  readonly refusal?: WebError | undefined
  readonly newKey?: string | undefined
}

/** What forms are sent to, and what the address bar shows after a refusal: opened anew, they lead back. */
const FORM_PATHS = [
  '/settings/sign-up',
  '/settings/sign-in',
  '/settings/sign-out',
  '/settings/password',
  '/settings/sessions',
  '/settings/keys',
  '/settings/keys/:id/rotate',
  '/settings/keys/:id/revoke',
]

/** Mounts the page of who is signed in, and what its buttons do. */
export function addSettingsRoutes(app: FastifyInstance, parts: SignInParts): void {
  const { ports, pages, signIn, limits, notices } = parts
  const { catalog, now } = ports

  addPage(app, '/settings', async (request, reply) => {
    const query = readQuery(request.url)
    const { notice, email } = notices.take(request, reply)
    const viewer = await pages.findViewer(request, reply)
    if (viewer.account !== undefined) return showSettings(parts, request, reply, viewer.account, { notice })
    const returnPath = readReturnPath(query['return'], '/settings')
    const main = renderSignIn({ returnPath, notice, refusal: undefined, email, claim: '' })
    reply.header('cache-control', 'no-store')
    return pages.send(reply, { title: 'Settings', viewer, main, place: 'settings' })
  })
  for (const path of FORM_PATHS) addPage(app, path, (_request, reply) => reply.redirect('/settings', 303))

  /** Does what a button asks for, as the one who is signed in; a session that has ended begins anew here. */
  const onPost = <Params>(
    path: string,
    act: (
      account: Account,
      request: FastifyRequest<{ Params: Params }>,
      reply: FastifyReply,
    ) => Promise<Outcome | NoticeName>,
  ): void => {
    app.post<{ Params: Params }>(path, async (request, reply) => {
      const { account } = await pages.findViewer(request, reply)
      if (account === undefined) return notices.leave(reply, 'session-ended').redirect('/settings', 303)
      const outcome = await act(account, request, reply).catch(describeRefusal)
      if (typeof outcome === 'string') return notices.leave(reply, outcome).redirect('/settings', 303)
      return showSettings(parts, request, reply, account, outcome)
    })
  }

  onPost('/settings/keys', async (account, { body }) => {
    const { name, token } = parseForm(forms.key, body)
    const { key } = await doOnce(limits.forms, `${account.id} ${token}`, now(), () =>
      createKey(catalog, { accountId: account.id, name }, now()),
    )
    return { newKey: key }
  })

  onPost<{ id: string }>('/settings/keys/:id/rotate', async (account, { params, body }) => {
    const { id } = await requireOwn(account, params.id)
    const { token } = parseForm(forms.rotation, body)
    const { key } = await doOnce(limits.forms, `${id} ${token}`, now(), () => rotateKey(catalog, id, now()))
    return { newKey: key, notice: 'The key it replaces is good for 24 hours more, or until you revoke it.' }
  })

  onPost<{ id: string }>('/settings/keys/:id/revoke', async (account, { params }) => {
    const { id } = await requireOwn(account, params.id)
    await revokeKey(catalog, id, now())
    return 'key-revoked'
  })

  onPost('/settings/password', async (account, request, reply) => {
    const { password, new_password: newPassword } = parseForm(forms.password, request.body)
    const name = `${account.email} ${clientNetwork(request.ip)}`
    const wait = await limits.passwords.take(name, now())
    if (wait > 0) throw refusePasswords(wait)
    const cookies = await signIn.changePassword({ password, newPassword }, readSender(request))
    if (cookies === undefined)
      throw new WebError('invalid_form', 'The current password is wrong', 'Check it and try again.', {
        field: 'password',
      })
    await limits.passwords.release(name, now())
    reply.header('set-cookie', [...cookies])
    return 'password-changed'
  })

  onPost('/settings/sessions', async (_account, request) => {
    await signIn.endOtherSessions(readSender(request))
    return 'sessions-ended'
  })

  async function requireOwn(account: Account, id: string): Promise<KeyRow> {
    const key = await catalog.keys.find(id)
    if (key?.account_id === account.id) return key
    throw new WebError('unknown_key', 'You have no such key', 'Choose one of the list.')
  }
}

/** Does what a form asks for, unless it was done already: a reload sends the form again. */
async function doOnce<T>(
  sent: SharedRateLimiter,
  name: string,
  now: Date,
  act: () => Promise<T>,
): Promise<T> {
  if ((await sent.take(name, now)) > 0) {
    const hint = 'Nothing was made now. If you did not copy the key, revoke it and create another.'
    throw new WebError('key_refused', 'This form was sent already', hint)
  }
  try {
    return await act()
  } catch (error) {
    await sent.release(name, now)
    throw error
  }
}

async function showSettings(
  { ports, pages, signIn }: SignInParts,
  request: FastifyRequest,
  reply: FastifyReply,
  account: Account,
  { notice, refusal, newKey }: Outcome,
): Promise<FastifyReply> {
  const { catalog, quota } = ports
  const now = ports.now()
  const mode = ports.mode.current()
  const [usage, keys, sessions] = await Promise.all([
    quota.peek(account, now),
    catalog.keys.list(account.id),
    signIn.listSessions(readSender(request)),
  ])
  const canMakeKeys = mode.mode !== 'recovery'
  const formToken = randomUUID()
  const facts = { account, usage, keys, sessions, now, canMakeKeys, formToken }
  const refused = refusal && { field: refusal.field, text: `${refusal.message}. ${refusal.hint}` }
  const keyName = refusal === undefined ? '' : readKeyName(request)
  const main = renderSettings({ ...facts, notice, refusal: refused, newKey, keyName })
  if (refusal !== undefined) {
    reply.code(refusal.status)
    const retryAfter = refusal.code === 'recovery_mode' ? mode.retry_after : refusal.retryAfter
    if (retryAfter !== null) reply.header('retry-after', retryAfter)
  }
  reply.header('cache-control', 'no-store')
  return pages.send(reply, { title: 'Settings', viewer: { mode, account }, main, place: 'settings' })
}

/** What was typed as the name of a key, where that form was sent. */
function readKeyName({ body }: FastifyRequest): string {
  const name = typeof body === 'object' && body !== null && 'name' in body ? body.name : undefined
  return typeof name === 'string' ? name.slice(0, 400) : ''
}

/** What the page says when it cannot do what was asked; anything else is no refusal. */
function describeRefusal(error: unknown): Outcome {
  if (error instanceof WebError) return { refusal: error }
  if (!(error instanceof CatalogError)) throw error
  switch (error.code) {
    case 'recovery_mode':
      return {
        refusal: new WebError('recovery_mode', error.message, 'Try again when it is online.'),
      }
    case 'unknown_key':
      return { refusal: new WebError('unknown_key', error.message, error.hint) }
    case 'invalid_key':
      return { refusal: new WebError('invalid_form', error.message, error.hint, { field: 'name' }) }
    case 'key_ended':
    case 'too_many_keys':
      return { refusal: new WebError('key_refused', error.message, error.hint) }
    default:
      throw error
  }
}
