import { readFileSync } from 'node:fs'

/** The folder of this package. The bundle has this module in a chunk directly in `dist`. */
export const PACKAGE: URL = new URL('../', import.meta.url)

/** Reads the version of this package. */
export function readVersion(): string {
  const text = readFileSync(new URL('package.json', PACKAGE), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
