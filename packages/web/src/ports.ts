import type { Catalog, Mode, Quota } from '@packs/catalog'

/** What the pages work with; whoever composes them hands it over. */
export interface WebPorts {
  readonly catalog: Catalog
  readonly quota: Quota
  readonly mode: { current(): Mode }
  readonly now: () => Date
  readonly log: WebLog
}

/** Hears of failures: codes and frames, never an address, a password, a key or a text. */
export interface WebLog {
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

export interface WebOptions {
  /** Where visitors reach the pages: scheme, host and port, as `https://packs.example`. */
  readonly baseUrl: string
}
