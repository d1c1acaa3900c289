import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { findForeignWriter } from '@packs/files'

/** The folder of this package. The bundle has this module in a chunk directly in `dist`. */
export const PACKAGE: URL = new URL('../', import.meta.url)

export function readVersion(): string {
  const text = readFileSync(new URL('package.json', PACKAGE), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

/**
 * Returns the URL of a module that a thread runs. It is in this folder because the bundle keeps the
 * paths of such modules below it, but puts most others into chunks.
 */
export function locateModule(name: string): URL {
  return new URL(`./${name}${extname(import.meta.url)}`, import.meta.url)
}

/** A file in a parent folder counts only if nobody else can change it. */
export function findUpward(cwd: string, names: readonly string[]): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const files = names.map((name) => join(folder, name)).filter((file) => existsSync(file))
    if (files.some((file) => folder === cwd || findForeignWriter(file) === undefined)) return folder
    if (dirname(folder) === folder) return undefined
  }
}
