import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { derivePathSlug, withTable } from '@packs/codec/internal'
import { parsePack, type Pack } from '@packs/codec/pack'
import { buildInOrder } from '../build-run/build-in-order.ts'
import type { BuildPool } from '../build-run/create-build-pool.ts'
import { createRequest } from '../build-run/create-requests.ts'
import { CliError, fileError, usageError } from '../cli-error.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { createConfigurer, createSourceSearch, resolveSources } from '../config/resolve-sources.ts'
import {
  decodeText,
  FilesError,
  findFiles,
  type FoundFile,
  MAX_SOURCE_BYTES,
  readRevision,
  type Revision,
} from '@packs/files'
import { openPack } from '../input/read-pack.ts'

export interface DiffSide {
  /** As the command line names it. */
  readonly name: string
  readonly kind: 'pack' | 'source' | 'revision' | 'version'
  readonly pack: Pack
  readonly body: string
  /** Of a source in a folder that is compared: its path there. */
  readonly path?: string | undefined
}

export interface SideContext {
  readonly cwd: string
  readonly config: LoadedConfig | undefined
  readonly pool: BuildPool
  /** Whether the other side is a source of a git revision. */
  readonly hasRevision: boolean
  readonly openVersion: (name: string) => Promise<Pack>
}

/**
 * Opens an existing pack or source, a version of the catalog as `SLUG@VERSION`, or a source of a
 * git revision as `REVISION:PATH`. Sources are built as `pack build` builds them.
 */
export async function openSide(name: string, context: SideContext): Promise<DiffSide> {
  const path = resolve(context.cwd, name)
  if (existsSync(path)) return openFile(path, name, context)
  if (/^[^\s@:/\\]+@\d[^\s@:/\\]*$/.test(name)) {
    return decodeSide(name, 'version', await context.openVersion(name))
  }
  const revision = parseRevision(name, context.cwd)
  if (revision) return openRevision(revision, name, context)
  const hint = 'name a pack, a source, SLUG@VERSION, or REVISION:PATH of git'
  throw fileError('file_not_found', name, 'does not exist', hint)
}

export async function openRevision(
  revision: Revision,
  name: string,
  context: SideContext,
): Promise<DiffSide> {
  const { path } = revision
  const bytes = await readRevision(revision, name)
  if (isPackName(path)) return decodeSide(name, 'revision', parsePack(bytes))
  // The name contains a revision, which is not part of a slug.
  const file = join(revision.folder, path)
  const slug = await withTable(() => derivePathSlug(basename(file), basename(dirname(file))))
  const pack = await buildOne({ path: file, shown: name, defaults: { slug } }, context, bytes)
  return decodeSide(name, 'revision', pack)
}

function decodeSide(name: string, kind: DiffSide['kind'], pack: Pack): DiffSide {
  return { name, kind, pack, body: decodeText(pack, name, MAX_SOURCE_BYTES) }
}

/** Tells whether a name stands for a source of a git revision. */
export function isRevisionOfSource(name: string, cwd: string): boolean {
  return !isPackName(name) && !existsSync(resolve(cwd, name)) && parseRevision(name, cwd) !== undefined
}

async function openFile(path: string, name: string, context: SideContext): Promise<DiffSide> {
  if (statSync(path).isDirectory()) throw fileError('not_a_file', name, 'is a folder', 'name a file in it')
  if (isPackName(path)) {
    const { pack, source } = await openPack(path, name)
    return { name, kind: 'pack', pack, body: source }
  }
  // Git has the file of that time but not what it included, so two revisions are compared as written.
  const file = { path, shown: name, ...(!context.hasRevision && { includeFolder: dirname(path) }) }
  return decodeSide(name, 'source', await buildOne(file, context))
}

/** Opens the packs of a folder, and builds its sources. */
export async function openFolder(name: string, context: SideContext): Promise<readonly DiffSide[]> {
  const { cwd, config } = context
  const { files: packs } = findFiles([name], { cwd, pattern: /\.pack\.json$/i })
  const search = createSourceSearch([name], {}, cwd, '-', config)
  const { files, failures } = await resolveSources(search).catch((error: unknown) => {
    if (packs.length > 0 && error instanceof FilesError && error.code === 'no_sources')
      return { files: [], failures: [] }
    throw error
  })
  for (const failure of failures) throw failure
  const sides: DiffSide[] = []
  for (const { path, shown } of packs) sides.push(await openFile(path, shown, context))
  for (const [at, pack] of (await buildAll(files, context)).entries()) {
    const { shown, slugPath } = files[at]!
    sides.push({ ...decodeSide(shown, 'source', pack), path: slugPath })
  }
  return sides
}

export function isFolder(name: string): boolean {
  return statSync(resolve(name), { throwIfNoEntry: false })?.isDirectory() === true
}

function isPackName(path: string): boolean {
  return path.toLowerCase().endsWith('.pack.json')
}

async function buildOne(file: FoundFile, context: SideContext, bytes?: Uint8Array): Promise<Pack> {
  const { config, cwd } = context
  const [pack] = await buildAll([createConfigurer(config, cwd)(file)], context, bytes)
  return pack!
}

async function buildAll(
  files: readonly FoundFile[],
  { pool }: SideContext,
  bytes?: Uint8Array,
): Promise<readonly Pack[]> {
  const requests = files.map((file) => createRequest(file, {}, bytes))
  const results = await buildInOrder(requests, { pool, cache: undefined })
  return results.map(({ pack, text, messages, shown }) => {
    if (pack && text !== null) return parsePack(text)
    const errors = messages.filter(({ severity }) => severity === 'error')
    const faults = errors.map(({ line, column, message, hint }) => ({
      line,
      column,
      message,
      hint: hint ?? '',
    }))
    const message = `${shown} cannot be built, so nothing was compared`
    const details = { file: shown, faults }
    throw new CliError('source_not_built', message, 'correct the source, or compare packs', details)
  })
}

/** Parses `REVISION:PATH`, as git writes it. Returns undefined for other names. */
function parseRevision(name: string, folder: string): Revision | undefined {
  const at = name.indexOf(':')
  const [revision, path] = [name.slice(0, at), name.slice(at + 1)]
  return at > 0 && path !== '' && isRevision(revision) ? { revision, path, folder } : undefined
}

export function locateRevision(revision: string, file: string): Revision {
  if (isRevision(revision)) return { revision, path: `./${basename(file)}`, folder: dirname(file) }
  const hint = 'name a branch, a tag or a commit, such as HEAD~1'
  throw usageError(`${JSON.stringify(revision.slice(0, 80))} is not a git revision`, hint)
}

/** An option of git begins with a hyphen. */
function isRevision(text: string): boolean {
  return /^[^-\s:\p{Cc}][^\s:\p{Cc}]{0,999}$/u.test(text)
}
