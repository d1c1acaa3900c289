import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { callbackify } from 'node:util'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'
import { closeLater } from '../../../test-kit/test/close-later.ts'
import type { MailSettings } from '../../src/index.ts'

/** A mail as the server got it. */
export interface ReceivedMail {
  readonly to: readonly string[]
  readonly from: string
  readonly isEncrypted: boolean
  readonly user: string | undefined
  /** The message, parsed and as it was sent. */
  readonly mail: Email
  readonly raw: string
}

/** A mail server on this machine. */
export interface MailServer {
  readonly port: number
  readonly settings: MailSettings
  /** Mails received so far. */
  readonly mails: readonly ReceivedMail[]
}

/** Starts an SMTP server that keeps what it receives, until the tests end. By default it needs no login, and offers no TLS. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    onData(stream, session, done) {
      const keep = async (): Promise<void> => void mails.push(await receive(stream, session))
      callbackify(keep)((error) => done(error))
    },
    ...options,
  })
  server.on('error', () => undefined)
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  closeLater(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const { port } = listening.address() as AddressInfo
  return { port, mails, settings: mailSettings(port) }
}

async function receive(
  stream: Readable,
  { envelope, secure, user }: SMTPServerSession,
): Promise<ReceivedMail> {
  const raw = await text(stream)
  const { mailFrom, rcptTo } = envelope
  return {
    to: rcptTo.map(({ address }) => address),
    from: mailFrom === false ? '' : mailFrom.address,
    isEncrypted: secure,
    user: user as string | undefined,
    mail: await PostalMime.parse(raw),
    raw,
  }
}

/** Starts a server that accepts connections and never says anything. */
export async function startSilentServer(): Promise<MailServer & { readonly connections: () => number }> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closeLater(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, mails: [], settings: mailSettings(port), connections: () => sockets.length }
}

export function mailSettings(port: number, change: Partial<MailSettings> = {}): MailSettings {
  const from = { name: 'Packs', address: 'packs@example.org' }
  return { host: 'localhost', port, security: 'none', login: undefined, from, ...change }
}

/** Returns the only link in a mail. */
export function readLink({ mail }: ReceivedMail): URL {
  const [link, ...others] = mail.text?.match(/http:\/\/\S+\?\S+/g) ?? []
  if (link === undefined || others.length > 0) throw new Error(`Not one link: ${mail.text}`)
  return new URL(link)
}
