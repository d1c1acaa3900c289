import { type MailCodeKind } from '@packs/catalog'
import type { MailSettings, WebPorts } from '../ports.ts'
import type { Limits } from '../security/create-limits.ts'

/** Why a mail is sent. Strangers can trigger `sign-up` and `reset`, but only a session `verify`. */
type MailKind = MailCodeKind | 'sign-up'

/** Mails one-time codes in the background. */
export interface AccountMails {
  /**
   * Mails a code if an account can use it. Returns at once and nothing, so that nobody learns
   * whether an email has an account, and no request waits for a mail server.
   */
  send(email: string, kind: MailKind): void
  /** Waits a few seconds for mails in transit, then aborts them. */
  close(): Promise<void>
}

const MAX_WAITING = 100
const MAX_SENDING = 2
const DRAIN_MS = 5000

/** A mail that cannot be sent is logged without its email and dropped: owners can ask again. */
export function createAccountMails(
  { catalog, now, log }: Pick<WebPorts, 'catalog' | 'now' | 'log'>,
  settings: MailSettings,
  { limits, baseUrl }: { readonly limits: Limits; readonly baseUrl: string },
): AccountMails {
  const aborted = new AbortController()
  const waiting: (readonly [email: string, kind: MailKind])[] = []
  const sending = new Set<Promise<void>>()
  let isClosed = false

  const sendNext = (): void => {
    const next = sending.size < MAX_SENDING ? waiting.shift() : undefined
    if (next === undefined) return
    const [email, kind] = next
    const work = sendCode(email, kind)
      .catch((error: unknown) => log.error({ kind, ...describeFailure(error) }, 'a mail was not sent'))
      .finally(() => {
        sending.delete(work)
        sendNext()
      })
    sending.add(work)
  }

  const sendCode = async (email: string, kind: MailKind): Promise<void> => {
    // Counted by kind, so that nobody uses up the mails that somebody else needs.
    const name = `${kind} ${email}`
    if ((await limits.mailsOfAddress.take(name, now())) > 0)
      return log.error({ kind, code: 'address_limit' }, 'a mail was not sent')
    const codeKind = kind === 'sign-up' ? 'verify' : kind
    const code = await catalog.accounts.createMailCode(email, codeKind, now())
    if (code === undefined) await limits.mailsOfAddress.release(name, now())
    else await sendMail(settings, { to: email, ...mailTexts[codeKind](baseUrl, code) }, aborted.signal)
  }

  return {
    send(email, kind) {
      if (isClosed || waiting.length >= MAX_WAITING) {
        log.error({ kind, code: isClosed ? 'closed' : 'queue_full' }, 'a mail was not sent')
        return
      }
      waiting.push([email, kind])
      sendNext()
    },
    async close() {
      isClosed = true
      const timer = setTimeout(() => {
        const dropped = waiting.splice(0).length
        if (dropped > 0) log.error({ code: 'closed', mails: dropped }, 'mails were not sent')
        aborted.abort()
      }, DRAIN_MS)
      while (sending.size > 0) await Promise.all(sending)
      clearTimeout(timer)
    },
  }
}

/** Returns only codes, because the text of an error may quote the email. */
function describeFailure(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error }
  const { code, responseCode } = error as { readonly code?: unknown; readonly responseCode?: unknown }
  return { name: error.name, code, status: responseCode }
}

const mailTexts: Readonly<Record<MailCodeKind, (baseUrl: string, code: string) => Omit<Mail, 'to'>>> = {
  verify: (baseUrl, code) => ({
    subject: 'Confirm your email for Packs',
    text: `Somebody signed up with this email at ${baseUrl}

If it was you, open this page within 24 hours and confirm your email:

${baseUrl}/settings/verify?code=${code}

If it was not you, ignore this mail and do not forward it. To take over the
account, choose "Forgot password?" on ${baseUrl}/settings.
`,
  }),
  reset: (baseUrl, code) => ({
    subject: 'Set a new password for Packs',
    text: `Somebody asked for a new password for the account with this email at ${baseUrl}

If it was you, open this page within an hour and choose a password:

${baseUrl}/settings/code?code=${code}

If it was not you, ignore this mail and do not forward it. Your password has
not changed.
`,
  }),
}

interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

const STEP_MS = 10_000
const MAIL_MS = 30_000

/** @throws Error with a `code`, after 30 s at the latest */
async function sendMail(
  settings: MailSettings,
  { to, subject, text }: Mail,
  end: AbortSignal,
): Promise<void> {
  const { host, port, security, login, from } = settings
  const signal = AbortSignal.any([end, AbortSignal.timeout(MAIL_MS)])
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const { default: SmtpConnection } = await import('nodemailer/lib/smtp-connection')
  const composer = new MailComposer({
    from: { ...from },
    // An object is one recipient, whatever it contains; text would be parsed as a list.
    to: { name: '', address: to },
    subject,
    text,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const message = await composer.compile().build()
  signal.throwIfAborted()
  const connection = new SmtpConnection({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    dnsTimeout: STEP_MS,
    socketCloseTimeout: 0,
  })
  const { promise: failure, reject } = Promise.withResolvers<never>()
  const settle =
    (resolve: () => void) =>
    (error?: unknown): void =>
      error ? reject(error) : resolve()
  const abort = (): void => reject(signal.reason)
  signal.addEventListener('abort', abort)
  connection.on('error', reject)
  const run = (step: (done: (error?: unknown) => void) => void): Promise<void> =>
    Promise.race([new Promise<void>((resolve) => step(settle(resolve))), failure])
  try {
    await run((done) => connection.connect(done))
    if (login !== undefined) await run((done) => connection.login({ ...login }, done))
    await run((done) => connection.send({ from: from.address, to: [to] }, message, done))
  } finally {
    signal.removeEventListener('abort', abort)
    connection.close()
  }
}
