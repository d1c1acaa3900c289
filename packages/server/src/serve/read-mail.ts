import { CommandError } from '../command-error.ts'
import type { MailSettings } from './compose-server.ts'

const URL_HINT = 'write smtp://USER:PASSWORD@HOST:587 or smtps://…, with special characters percent-encoded'
const FROM_HINT = 'write packs@example.org or Packs <packs@example.org>'
const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 }

/**
 * Reads the mail server from `PACK_SMTP_URL` and the sender from `PACK_SMTP_FROM`. Without them no mail is sent. Errors never
 * repeat the URL, because it may contain a password.
 *
 * @throws CommandError `usage`
 */
export function readMail(
  environment: Readonly<Record<string, string | undefined>>,
): MailSettings | undefined {
  const { PACK_SMTP_URL: url, PACK_SMTP_FROM: from } = environment
  if (!url && !from) return undefined
  if (!url) throw new CommandError('usage', 'PACK_SMTP_FROM is set, but PACK_SMTP_URL is missing', URL_HINT)
  if (!from) throw new CommandError('usage', 'PACK_SMTP_URL is set, but PACK_SMTP_FROM is missing', FROM_HINT)
  return { ...readUrl(url), from: readSender(from) }
}

function readUrl(text: string): Omit<MailSettings, 'from'> {
  const url = URL.parse(text)
  const defaultPort = url === null ? undefined : PORTS[url.protocol]
  if (
    url === null ||
    defaultPort === undefined ||
    url.hostname === '' ||
    !/^\/?$/.test(url.pathname + url.hash)
  )
    throw new CommandError('usage', 'PACK_SMTP_URL is not the address of a mail server', URL_HINT)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const security = readSecurity(url, host)
  const port = url.port === '' ? defaultPort : Number(url.port)
  return { host, port, security, login: readLogin(url) }
}

/** A server on this machine needs no TLS: nobody else can read what is sent to it. */
function readSecurity({ protocol, search }: URL, host: string): MailSettings['security'] {
  const isTls = protocol === 'smtps:'
  if (search === '?tls=off' && !isTls) return 'none'
  if (search !== '') {
    const hint = 'add ?tls=off to an smtp:// address to send without TLS, or nothing'
    throw new CommandError('usage', 'the part of PACK_SMTP_URL after ? is not valid', hint)
  }
  if (isTls) return 'tls'
  return isLoopback(host) ? 'none' : 'starttls'
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

function readLogin({ username, password }: URL): MailSettings['login'] {
  if (username === '' && password === '') return undefined
  try {
    const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)]
    if (user !== '' && pass !== '') return { user, pass }
  } catch {
    // A percent sign without two digits.
  }
  throw new CommandError(
    'usage',
    'the user or the password in PACK_SMTP_URL is missing or not valid',
    URL_HINT,
  )
}

function readSender(text: string): MailSettings['from'] {
  const {
    name = '',
    bracketed,
    plain = '',
  } = /^(?:(?<name>[^<>]*)<(?<bracketed>[^<>]+)>|(?<plain>[^<>]+))$/.exec(text.trim())?.groups ?? {}
  const address = bracketed ?? plain
  if (/^[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(\.[\w-]+)*$/.test(address) && !/\p{Cc}/u.test(name))
    return { name: name.trimEnd().replace(/^"(.*)"$/, '$1'), address }
  throw new CommandError('usage', 'PACK_SMTP_FROM is not an e-mail address', FROM_HINT)
}
