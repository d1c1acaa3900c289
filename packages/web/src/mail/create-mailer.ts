import MailComposer from 'nodemailer/lib/mail-composer'
import SmtpConnection from 'nodemailer/lib/smtp-connection'
import type { MailSettings } from '../ports.ts'

/** A mail in plain text to one address. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

export interface Mailer {
  /** Hands a mail to the server. @throws Error with a `code`, after 30 s at the latest */
  send(mail: Mail): Promise<void>
  /** Ends all connections: what is being sent now, and later, fails. */
  abort(): void
}

const STEP_MS = 10_000
const MAIL_MS = 30_000

/** Creates a mailer that opens one connection for each mail. */
export function createMailer(settings: MailSettings): Mailer {
  const aborted = new AbortController()
  return {
    async send(mail) {
      const message = new MailComposer({
        from: { ...settings.from },
        // An object is one address, whatever it contains; text would be parsed as a list.
        to: { name: '', address: mail.to },
        subject: mail.subject,
        text: mail.text,
        headers: { 'Auto-Submitted': 'auto-generated' },
        disableFileAccess: true,
        disableUrlAccess: true,
      }).compile()
      const bytes = await message.build()
      const signal = AbortSignal.any([aborted.signal, AbortSignal.timeout(MAIL_MS)])
      await deliver(settings, { from: settings.from.address, to: [mail.to] }, bytes, signal)
    },
    abort: () => aborted.abort(),
  }
}

async function deliver(
  { host, port, security, login }: MailSettings,
  envelope: { readonly from: string; readonly to: string[] },
  message: Buffer,
  signal: AbortSignal,
): Promise<void> {
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
  const end = (): void => reject(signal.reason)
  signal.addEventListener('abort', end)
  connection.on('error', reject)
  const run = (step: (done: (error?: unknown) => void) => void): Promise<void> =>
    Promise.race([new Promise<void>((resolve) => step(settle(resolve))), failure])
  try {
    await run((done) => connection.connect(done))
    if (login !== undefined) await run((done) => connection.login({ ...login }, done))
    await run((done) => connection.send(envelope, message, done))
  } finally {
    signal.removeEventListener('abort', end)
    connection.close()
  }
}
