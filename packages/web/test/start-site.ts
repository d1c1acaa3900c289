import { join } from 'node:path'
import { createQuota, openCatalog, type Catalog, type Mode, type NewVersion } from '@packs/catalog'
import { fastify, type LightMyRequestResponse } from 'fastify'
import { createWeb, type MailSettings } from '../src/index.ts'
import { closeLater } from '../../test-kit/test/close-later.ts'
import { actor } from '../../test-kit/test/make-version.ts'
import { makeFolder } from '../../test-kit/test/run-pack.ts'
import './lower-password-cost.ts'

export const ORIGIN = 'http://site.test'

/** What a test request has besides its path. */
export interface Visit {
  readonly form?: Readonly<Record<string, string>>
  readonly cookie?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Address of the visitor. @default a new address for each request */
  readonly from?: string
  readonly method?: 'GET' | 'HEAD' | 'POST'
}

/** The pages on a real catalog, with a clock and a mode that the test controls. */
export interface Site {
  readonly catalog: Catalog
  /** Lines logged so far. */
  readonly log: string[]
  visit(path: string, visit?: Visit): Promise<LightMyRequestResponse>
  /** Signs up, or opens the account of a claim code, and signs in. Returns the cookie. */
  join(email: string, password?: string, claim?: string): Promise<string>
  /** Joins as a Pro account with so many requests a day. */
  joinPro(email: string, daily: number): Promise<string>
  signIn(email: string, password: string, from?: string): Promise<LightMyRequestResponse>
  setMode(mode: Mode['mode'], details?: Partial<Mode>): Promise<void>
  pass(seconds: number): void
  close(): Promise<void>
}

/**
 * Starts the pages, until the test ends or, outside of tests, those of the file. They may be closed earlier.
 *
 * @param url a database. @default a new SQLite file
 * @param wrapCatalog changes the catalog that the pages use, for example so that a step fails
 * @param lockTimeout milliseconds to wait for a lock of the database
 * @param mail the server that mails are sent to. @default no mail
 */
export async function startSite(
  versions: readonly NewVersion[] = [],
  url?: string,
  wrapCatalog: (catalog: Catalog) => Catalog = (catalog) => catalog,
  lockTimeout = 10_000,
  mail?: MailSettings,
): Promise<Site> {
  const databaseUrl = url ?? join(makeFolder(), 'catalog.sqlite')
  let date = new Date('2026-03-01T12:00:00.000Z')
  let visitors = 0
  const now = (): Date => date
  const catalog = await openCatalog({ url: databaseUrl, now, lockTimeout })
  if (versions.length > 0) await catalog.packs.commit(versions)
  let mode = await catalog.settings.mode()
  const log: string[] = []
  const quota = createQuota(catalog.quota)
  const error = (fields: object, message: string): void => void log.push(JSON.stringify({ fields, message }))
  const ports = { catalog: wrapCatalog(catalog), quota, mode: { current: () => mode }, now, log: { error } }
  const web = await createWeb(ports, { baseUrl: ORIGIN, mail })
  const app = fastify({ exposeHeadRoutes: false })
  await app.register(web.plugin)

  const visit: Site['visit'] = (path, { form, cookie, headers = {}, from, method } = {}) => {
    const count = ++visitors
    return app.inject({
      method: method ?? (form === undefined ? 'GET' : 'POST'),
      url: path,
      remoteAddress: from ?? `10.0.${count >> 8}.${count & 255}`,
      headers: {
        ...(form !== undefined && { origin: ORIGIN, 'content-type': 'application/x-www-form-urlencoded' }),
        ...(cookie !== undefined && { cookie }),
        ...headers,
      },
      ...(form !== undefined && { payload: new URLSearchParams(form).toString() }),
    })
  }
  const signIn: Site['signIn'] = (email, password, from) =>
    visit('/settings/sign-in', { form: { email, password }, ...(from !== undefined && { from }) })

  const signUp: Site['join'] = async (email, password = 'correct horse', claim = '') => {
    if (claim === '') return readCookie(await visit('/settings/sign-up', { form: { email, password } }))
    await visit('/settings/code', { form: { email, code: claim, new_password: password } })
    return readCookie(await signIn(email, password))
  }

  const close = closeLater(async () => {
    await app.close()
    await web.close()
    await quota.close()
    await catalog.close()
  })

  return {
    catalog,
    log,
    visit,
    signIn,
    join: signUp,
    async joinPro(email, daily) {
      const cookie = await signUp(email)
      await catalog.accounts.setTier(email, { tier: 'pro', daily, isUnverifiedAccepted: true, actor })
      return cookie
    },
    async setMode(name, details = {}) {
      mode = { ...(await catalog.settings.setMode(name, { actor })), ...details }
    },
    pass(seconds) {
      date = new Date(date.getTime() + seconds * 1000)
    },
    close,
  }
}

/** Returns the cookies that a response sets, as a browser sends them back. */
export function readCookie({ cookies }: LightMyRequestResponse): string {
  return cookies.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join('; ')
}
