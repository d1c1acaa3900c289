import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { decode } from '@packs/codec'
import type { Pack } from '@packs/codec/pack'
import { locateModule } from '../../locate-module.ts'
import { summarizePack, type BuildResult, type BuiltPack } from '../../output/build-result.ts'
import type { BuildRequest } from '../read-source.ts'

/** Changes with the form of an entry. */
const ENTRY_FORMAT = 'packs-cache/1'

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

/** What an entry keeps of a result, besides the pack document. */
interface EntryParts
  extends
    Pick<BuildResult, 'slugPosition' | 'scheme' | 'messages'>,
    Pick<BuiltPack, 'entries' | 'optimality'> {}

/** Returns an entry: the parts of the result as JSON, then the pack document. There is none without a pack. */
export function serializeEntry(result: BuildResult): string | undefined {
  const { pack, text, slugPosition, scheme, messages } = result
  if (pack === null || text === null) return undefined
  const { entries, optimality } = pack
  const parts: EntryParts = { entries, optimality, slugPosition, ...(scheme && { scheme }), messages }
  return `${JSON.stringify(parts)}\n${text}`
}

/**
 * Reads an entry that this program has written. It counts only if its pack gives the source back: front matter and decoded body.
 *
 * @param source text of the source
 */
export function parseEntry(
  entry: string,
  { path, shown }: BuildRequest,
  source: string,
): BuildResult | undefined {
  const end = entry.indexOf('\n')
  const { entries, optimality, messages, ...parts } = JSON.parse(entry.slice(0, end)) as EntryParts
  const text = entry.slice(end + 1)
  const pack = JSON.parse(text) as Pack
  if ((pack.front_matter ?? '') + decode(pack.content, pack.rosetta) !== source) return undefined
  return {
    path,
    shown,
    ...parts,
    pack: summarizePack(pack, entries, optimality),
    text,
    messages: messages.map((message) => ({ ...message, file: shown })),
  }
}

/** Returns the key of the entry with the cost of a prompt of these pack documents, in this order. */
export function deriveCostKey(packs: readonly string[], program: string): string {
  return JSON.stringify([ENTRY_FORMAT, program, 'prompt', packs.map(hashText)])
}

function hashText(data: string): string {
  return createHash('sha256').update(data).digest('hex')
}
