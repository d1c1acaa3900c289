import { createHash } from 'node:crypto'
import { basename, dirname } from 'node:path'
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
  { path, shown, overrides, given = {} }: BuildRequest,
  program: string,
  source: string,
): string {
  // Slug, title and messages can depend on the names of the file and its folder.
  const names = path === '-' ? [] : [shown, basename(dirname(path))]
  return hashText(JSON.stringify([ENTRY_FORMAT, program, source, names, overrides, given]))
}

/** Returns an entry: its digest, then the parts of the result as JSON, then the pack document. There is none without a pack. */
export function serializeEntry(key: string, result: BuildResult): string | undefined {
  const { pack, text: document, slugPosition, messages } = result
  if (pack === null || document === null) return undefined
  const parts = {
    format: ENTRY_FORMAT,
    entries: pack.entries,
    optimality: pack.optimality,
    slugPosition,
    messages: messages.map(({ line, column, severity, rule, message, hint, names }) => {
      return { line, column, severity, rule, message, hint, ...(names && { names }) }
    }),
  }
  const data = `${JSON.stringify(parts)}\n${document}`
  return `${digestEntry(key, data)}\n${data}`
}

/** Returns the key of the entry with the cost of a prompt of these pack documents, in this order. */
export function deriveCostKey(packs: readonly string[], program: string): string {
  return hashText(JSON.stringify([ENTRY_FORMAT, program, 'prompt', packs.map(hashText)]))
}

/** Returns an entry with the cost of a prompt. */
export function serializeCost(key: string, cost: PromptCost): string {
  const data = JSON.stringify({ format: ENTRY_FORMAT, ...cost })
  return `${digestEntry(key, data)}\n${data}`
}

/** Returns the first line of an entry: a digest of its key and the rest. */
export function digestEntry(key: string, data: string): string {
  return hashText(`${key}\n${data}`)
}

function hashText(data: string): string {
  return createHash('sha256').update(data).digest('hex')
}
