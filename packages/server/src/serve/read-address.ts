import { isIP } from 'node:net'
import { CommandError } from '../command-error.ts'

/** Command-line options for the address of the server. */
export interface AddressOptions {
  readonly port: number
  readonly host: string
  readonly baseUrl?: string
  readonly trustProxy: readonly string[]
}

/** Where the server listens and how clients reach it. */
export interface ServerAddress {
  readonly port: number
  readonly host: string
  /** Scheme, host and port that clients use; undefined for the address that the server listens on. */
  readonly origin: string | undefined
  readonly trustProxy: readonly string[]
}

/** Validates the address options. @throws CommandError `usage` */
export function readAddress({ port, host, baseUrl, trustProxy }: AddressOptions): ServerAddress {
  if (baseUrl === undefined && !isLoopback(host)) {
    throw new CommandError(
      'usage',
      `--host ${quote(host)} is reachable from other machines, but --base-url is missing`,
      'set the address that clients use, like --base-url https://packs.example.org',
    )
  }
  for (const network of trustProxy) checkNetwork(network)
  return { port, host, origin: baseUrl === undefined ? undefined : readOrigin(baseUrl), trustProxy }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

function readOrigin(text: string): string {
  const url = URL.parse(text)
  const isOrigin =
    url !== null && /^https?:$/.test(url.protocol) && /^\/?$/.test(url.pathname + url.search + url.hash)
  if (isOrigin && url.username === '' && url.password === '') return url.origin
  const hint = 'give only scheme, host and port, like https://packs.example.org'
  throw new CommandError('usage', `--base-url ${quote(text)} is not the address of a server`, hint)
}

function checkNetwork(text: string): void {
  const [address = '', bits, ...rest] = text.split('/')
  const maxBits = isIP(address) === 4 ? 32 : 128
  const isValidPrefix = bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= maxBits)
  const isNetwork = isIP(address) !== 0 && rest.length === 0
  if (isNetwork && isValidPrefix) return
  const hint = 'separate addresses or networks by spaces, like --trust-proxy 192.0.2.7 10.0.0.0/8'
  const fault = isNetwork
    ? `a network whose prefix length is not a number from 1 to ${maxBits}`
    : 'neither an IP address nor a network'
  throw new CommandError('usage', `--trust-proxy ${quote(text)} is ${fault}`, hint)
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 80))
}
