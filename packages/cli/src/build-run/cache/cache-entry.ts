import { createHash } from 'node:crypto'
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
 * Returns the key of the entry for a request: everything that its result depends on.
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
  return JSON.stringify([ENTRY_FORMAT, program, source, names, overrides, given])
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

/** Returns an entry: the parts of the result as JSON, then the pack document. There is none without a pack. */
export function serializeEntry(result: BuildResult): string | undefined {
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
  return `${JSON.stringify(parts)}\n${document}`
}

/** Returns the key of the entry with the cost of a prompt of these pack documents, in this order. */
export function deriveCostKey(packs: readonly string[], program: string): string {
  return JSON.stringify([ENTRY_FORMAT, program, 'prompt', packs.map(hashText)])
}

/** Returns an entry with the cost of a prompt. */
export function serializeCost(cost: PromptCost): string {
  return JSON.stringify({ format: ENTRY_FORMAT, ...cost })
}

function hashText(data: string): string {
  return createHash('sha256').update(data).digest('hex')
}
