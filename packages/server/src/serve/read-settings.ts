import { isIP } from 'node:net'
import { InvalidArgumentError } from 'commander'
import { CommandError } from '../command-error.ts'
import type { ListenAddress } from './listen.ts'
import type { MailSettings } from './compose-server.ts'

export interface AddressOptions {
  readonly port: number
  readonly host: string
  readonly baseUrl?: string
  readonly trustProxy: readonly string[]
}

/** Where the server listens and how clients reach it. */
export interface ServerAddress extends Omit<AddressOptions, 'baseUrl'> {
  /** Scheme, host and port that clients use; undefined if they are those it listens on. */
  readonly origin: string | undefined
}

export function readAddress({ port, host, baseUrl, trustProxy }: AddressOptions): ServerAddress {
  if (baseUrl === undefined && !isLoopback(host)) {
    const problem = `--host ${quote(host)} is reachable from other machines, but --base-url (PACK_BASE_URL) is missing`
    const hint = 'set the URL that clients use, for example --base-url https://packs.example.org'
    throw new CommandError('usage', problem, hint)
  }
  for (const network of trustProxy) checkNetwork(network)
  return { port, host, origin: baseUrl === undefined ? undefined : readOrigin(baseUrl), trustProxy }
}

export function parsePort(text: string): number {
  if (/^(?:0|[1-9]\d{0,4})$/.test(text) && Number(text) < 65_536) return Number(text)
  throw new InvalidArgumentError('Use a port from 0 to 65535.')
}

/** Parses the values of a variadic option, or all of them in its variable. */
export function parseList(text: string, before: readonly string[]): readonly string[] {
  return [...before, ...text.split(/\s+/).filter((value) => value !== '')]
}

/** Parses up to an hour in seconds. */
export function parseSeconds(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) <= 3600) return Number(text)
  throw new InvalidArgumentError('Use whole seconds from 0 to 3600.')
}

export function parseMemory(text: string): number {
  if (/^[1-9]\d{2,5}$/.test(text) && Number(text) >= 256) return Number(text)
  throw new InvalidArgumentError('Use megabytes from 256 to 999999.')
}

/** Parses `PORT`, which is one of this machine only, or `HOST:PORT`. */
export function parseAdminAddress(text: string): ListenAddress {
  const [, host = '127.0.0.1', port = ''] = /^(?:\[?([^[\]]+?)\]?:)?([^:]*)$/.exec(text) ?? []
  return { host, port: parsePort(port) }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

function readOrigin(text: string): string {
  const url = URL.parse(text)
  const isOrigin =
    url !== null && /^https?:$/.test(url.protocol) && /^\/?$/.test(url.pathname + url.search + url.hash)
  if (isOrigin && url.username === '' && url.password === '') return url.origin
  const hint = 'use only scheme, host and port, for example https://packs.example.org'
  throw new CommandError(
    'usage',
    `--base-url (PACK_BASE_URL) ${quote(text)} is not the URL of a site without a path`,
    hint,
  )
}

function checkNetwork(text: string): void {
  const [address = '', bits, ...rest] = text.split('/')
  const maxBits = isIP(address) === 4 ? 32 : 128
  const isValidPrefix = bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= maxBits)
  const isNetwork = isIP(address) !== 0 && rest.length === 0
  if (isNetwork && isValidPrefix) return
  const hint = 'separate IP addresses and networks by spaces, for example --trust-proxy 192.0.2.7 10.0.0.0/8'
  const fault = isNetwork
    ? `a network whose prefix length is not a number from 1 to ${maxBits}`
    : 'neither an IP address nor a network'
  throw new CommandError('usage', `--trust-proxy (PACK_TRUST_PROXY) ${quote(text)} is ${fault}`, hint)
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 80))
}

const URL_HINT =
  'set PACK_SMTP_URL to smtp://USER:PASSWORD@HOST:587 or smtps://…, with special characters percent-encoded'
const FROM_HINT = 'set PACK_SMTP_FROM to packs@example.org or Packs <packs@example.org>, for example'
const ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(\.[\w-]+)*$/
const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 }

/**
 * Reads the mail server from `PACK_SMTP_URL` and the sender from `PACK_SMTP_FROM`. Without them, no
 * mail is sent. Errors never quote the URL, because it may contain a password.
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

/** @throws CommandError `usage` */
export function readContact(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const contact = environment['PACK_CONTACT']?.trim()
  if (!contact) return undefined
  const url = /^https?:/i.test(contact) ? URL.parse(contact) : null
  if (url !== null && url.hostname !== '' && url.username + url.password === '') return url.href
  if (ADDRESS.test(contact)) return contact
  const hint = 'set PACK_CONTACT to packs@example.org or https://example.org/contact, for example'
  throw new CommandError('usage', 'PACK_CONTACT is neither an email address nor the URL of a page', hint)
}

/**
 * Reads of how many responses one is logged.
 * @throws CommandError `usage`
 */
export function readLogEvery(): number {
  const text = process.env['PACK_ACCESS_LOG'] || 'all'
  if (text === 'all' || text === 'off') return text === 'all' ? 1 : Infinity
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  const hint = 'set it to all, to off, or to a number to log one of so many requests'
  throw new CommandError('usage', `PACK_ACCESS_LOG ${quote(text)} is invalid`, hint)
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
    throw new CommandError('usage', 'PACK_SMTP_URL is not the URL of a mail server', URL_HINT)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const security = readSecurity(url, host)
  const port = url.port === '' ? defaultPort : Number(url.port)
  return { host, port, security, login: readLogin(url) }
}

/** A mail server on this machine needs no TLS: nobody else can read what is sent to it. */
function readSecurity({ protocol, search }: URL, host: string): MailSettings['security'] {
  const isTls = protocol === 'smtps:'
  if (search === '?tls=off' && !isTls) return 'none'
  if (search !== '') {
    const hint = 'add ?tls=off to an smtp:// URL to send without TLS, or nothing'
    throw new CommandError('usage', 'the part of PACK_SMTP_URL after ? is invalid', hint)
  }
  if (isTls) return 'tls'
  return isLoopback(host) ? 'none' : 'starttls'
}

function readLogin({ username, password }: URL): MailSettings['login'] {
  if (username === '' && password === '') return undefined
  try {
    const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)]
    if (user !== '' && pass !== '') return { user, pass }
  } catch {
    // A percent sign without two digits.
  }
  const problem = 'the user or password in PACK_SMTP_URL is missing or invalid'
  throw new CommandError('usage', problem, URL_HINT)
}

function readSender(text: string): MailSettings['from'] {
  const match = /^(?:(?<name>[^<>]*)<(?<bracketed>[^<>]+)>|(?<plain>[^<>]+))$/.exec(text.trim())
  const { name = '', bracketed, plain = '' } = match?.groups ?? {}
  const address = bracketed ?? plain
  if (ADDRESS.test(address) && !/\p{Cc}/u.test(name))
    return { name: name.trimEnd().replace(/^"(.*)"$/, '$1'), address }
  throw new CommandError('usage', 'PACK_SMTP_FROM is not an email address', FROM_HINT)
}
