import type { Catalog, Mode, Quota, Reader } from '@packs/catalog'

export interface WebPorts {
  readonly catalog: Catalog
  readonly quota: Quota
  readonly mode: { current(): Mode }
  readonly now: () => Date
  readonly log: WebLog
  /** Reads documents and sections; the pages close it. @default a new one */
  readonly reader?: Reader
}

/** Logs failures as codes and stack frames, never an email, a password, a key or a pack's text. */
export interface WebLog {
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

export interface WebOptions {
  /** Public origin of the pages: scheme, host and port, such as `https://packs.example`. */
  readonly baseUrl: string
  /** URL or email address of the operator, for people who want a Pro account. */
  readonly contact?: string | undefined
  /** Without it no mail is sent, and operators give codes to account owners. */
  readonly mail?: MailSettings | undefined
}

export interface MailSettings {
  readonly host: string
  readonly port: number
  /** TLS from the start, TLS after STARTTLS or no mail, or no TLS. */
  readonly security: 'tls' | 'starttls' | 'none'
  readonly login: { readonly user: string; readonly pass: string } | undefined
  readonly from: { readonly name: string; readonly address: string }
}
