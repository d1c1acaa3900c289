import { createHash, createHmac } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { locateModule } from '../../locate-module.ts'
import type { BuildResult, PromptCost } from '../../output/build-result.ts'
import type { BuildRequest } from '../read-source.ts'

/** Changes with the form of an entry. */
export const ENTRY_FORMAT = 'packs-cache/1'

/**
 * Returns the key of the entry for a request: a digest of everything that its result depends on.
 *
 * @param program digest of the program
 * @param source SHA-256 of the bytes of the source
 */
export function deriveKey(
  { path, shown, stdinPath = path, overrides, given = {} }: BuildRequest,
  program: string,
  source: string,
): string {
  // Slug, title and messages can depend on the names of the file and its folder.
  const names = stdinPath === '-' ? [] : [shown, basename(dirname(stdinPath))]
  return hashText(JSON.stringify([ENTRY_FORMAT, program, source, names, overrides, given]))
}

/**
 * Returns a digest of everything but the request that decides how a source is built: the program, and the version of Node, whose
 * Unicode tables the codec uses.
 *
 * @param files the modules of the program, or those that import all others by names with digests
 */
export function digestProgram(files: readonly string[] = listFiles()): string {
  const hash = createHash('sha256').update(process.version)
  for (const file of files) {
    const data = readFileSync(file)
    hash.update(`\n${data.length}\n`).update(data)
  }
  return hash.digest('hex')
}

/** In the bundle, names of chunks have a digest of what is in them and of what they import. */
function listFiles(): string[] {
  const entries = ['main', 'build-run/build-worker'].map((name) => fileURLToPath(locateModule(name)))
  const [main = ''] = entries
  if (extname(main) === '.js') return entries
  const codec = createRequire(import.meta.url).resolve('@packs/codec')
  return [main, codec].flatMap((entry) => listModules(dirname(entry)))
}

function listModules(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => name.endsWith('.ts'))
    .toSorted()
    .map((name) => join(folder, name))
}

/**
 * Returns an entry: its code, then the parts of the result as JSON, then the pack document. There is none without a pack.
 *
 * @param secret what proves that this user's program has written the entry
 */
export function serializeEntry(key: string, result: BuildResult, secret: Uint8Array): string | undefined {
  const { pack, text: document, slugPosition, scheme, messages } = result
  if (pack === null || document === null) return undefined
  const parts = {
    format: ENTRY_FORMAT,
    entries: pack.entries,
    optimality: pack.optimality,
    slugPosition,
    scheme,
    messages: messages.map(({ line, column, severity, rule, message, hint, names }) => {
      return { line, column, severity, rule, message, hint, ...(names && { names }) }
    }),
  }
  const data = `${JSON.stringify(parts)}\n${document}`
  return `${signEntry(key, data, secret)}\n${data}`
}

/** Returns the key of the entry with the cost of a prompt of these pack documents, in this order. */
export function deriveCostKey(packs: readonly string[], program: string): string {
  return hashText(JSON.stringify([ENTRY_FORMAT, program, 'prompt', packs.map(hashText)]))
}

/** Returns an entry with the cost of a prompt. */
export function serializeCost(key: string, cost: PromptCost, secret: Uint8Array): string {
  const data = JSON.stringify({ format: ENTRY_FORMAT, ...cost })
  return `${signEntry(key, data, secret)}\n${data}`
}

/**
 * Returns the first line of an entry: the authentication code (HMAC-SHA-256, RFC 2104) of its key and the rest. Without the
 * secret nobody can make one, so a restored or shared cache folder cannot change what a build says.
 */
export function signEntry(key: string, data: string, secret: Uint8Array): string {
  return createHmac('sha256', secret).update(`${key}\n${data}`).digest('hex')
}

function hashText(data: string): string {
  return createHash('sha256').update(data).digest('hex')
}
