import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Catalog, CatalogOptions, Actor } from '@packs/catalog'
import type { Runner } from '@packs/publisher'
import type { Command } from 'commander'
import type { Host } from '../host.ts'
import { userInfo } from 'node:os'
import type { Pack } from '@packs/codec/pack'
import { CommandError } from '../command-error.ts'
import { createOption, readSecret } from './environment.ts'

/** URLs of the database and of Redis. */
export interface ServiceUrls {
  /** URL of the database; without `DATABASE_URL`, that of the embedded catalog's file. */
  readonly databaseUrl: string
  /** File of the embedded catalog; absent for any other database. */
  readonly file?: string
  /** Without it, publishes run in process. */
  readonly redisUrl: string | undefined
}

export function addDataOption(command: Command): Command {
  return command.addOption(createOption('--data <dir>', 'folder of the embedded catalog').default('.packs'))
}

/** Returns the folder of `--data`. An empty one counts as unset. */
export function findDataFolder(command: Command): string {
  return resolve(command.opts<{ data: string }>().data || '.packs')
}

/** Reads the URLs from `--data`, `DATABASE_URL` and `REDIS_URL`. */
export function readServiceUrls(command: Command): ServiceUrls {
  return locateServices(findDataFolder(command))
}

/** Like {@link readServiceUrls}, for a folder instead of a command's options. */
export function locateServices(folder: string): ServiceUrls {
  const [databaseUrl, redisUrl] = [readSecret('DATABASE_URL'), readSecret('REDIS_URL')]
  if (databaseUrl !== undefined) return { databaseUrl, redisUrl }
  const file = resolve(folder, 'catalog.sqlite')
  return { databaseUrl: `sqlite:${file}`, file, redisUrl }
}

export async function withCatalog<T>(
  { databaseUrl }: ServiceUrls,
  work: (catalog: Catalog) => Promise<T>,
  options: Pick<CatalogOptions, 'readOnly' | 'anyIndex'> = {},
): Promise<T> {
  const { openCatalog } = await import('@packs/catalog')
  const catalog = await openCatalog({ url: databaseUrl, ...options })
  try {
    return await work(catalog)
  } finally {
    await catalog.close()
  }
}

/** Does not create the embedded catalog: without its file, `work` gets an empty one. */
export async function withExistingCatalog<T>(
  host: Host,
  urls: ServiceUrls,
  work: (catalog: Catalog) => Promise<T>,
  options?: Pick<CatalogOptions, 'readOnly'>,
): Promise<T> {
  if (!isMissing(urls)) return withCatalog(urls, work, options)
  host.writeNote(`note: there is no catalog at ${urls.file} yet`)
  return withCatalog(EMPTY_CATALOG, work)
}

/** Works even on read-only storage. */
export async function withReadOnlyCatalog<T>(
  host: Host,
  urls: ServiceUrls,
  work: (catalog: Catalog) => Promise<T>,
): Promise<T> {
  return withExistingCatalog(host, urls, work, { readOnly: true })
}

const EMPTY_CATALOG: ServiceUrls = { databaseUrl: 'sqlite::memory:', redisUrl: undefined }

/** Whether the file of the embedded catalog does not exist. */
export function isMissing({ file }: ServiceUrls): boolean {
  return file !== undefined && !existsSync(file)
}

/** A missing file of the embedded catalog would count as an empty catalog. */
export async function requireCatalog(urls: ServiceUrls): Promise<void> {
  if (!isMissing(urls)) return
  const { CatalogError } = await import('@packs/catalog')
  const hint = 'set --data to the folder of the catalog, or set DATABASE_URL'
  throw new CatalogError('catalog_unavailable', `there is no catalog at ${urls.file}`, hint)
}

export async function withRunner<T>(
  { redisUrl }: ServiceUrls,
  catalog: Catalog,
  buildSeconds: number,
  work: (runner: Runner) => Promise<T>,
): Promise<T> {
  const runner = await (redisUrl === undefined
    ? (await import('@packs/publisher')).createInProcessRunner(catalog, { buildSeconds })
    : (await (await import('@packs/publisher')).loadQueue()).createQueueRunner(catalog, redisUrl))
  try {
    return await work(runner)
  } finally {
    await runner.close()
  }
}

const MAX_NAME_LENGTH = 100

/**
 * For the audit log: `PACK_OPERATOR_NAME`, else the user who called `sudo`, else that of the
 * process. All three can be forged.
 */
export function readOperator(): Actor {
  const { PACK_OPERATOR_NAME, SUDO_USER } = process.env
  const name = PACK_OPERATOR_NAME || SUDO_USER || readUserName()
  return { kind: 'operator', id: name?.slice(0, MAX_NAME_LENGTH) ?? null }
}

/** A container may run as a user id without a name. */
function readUserName(): string | null {
  try {
    return userInfo().username
  } catch {
    const id = process.getuid?.()
    return id === undefined ? null : `uid ${id}`
  }
}

export function parseVersionName(text: string): { readonly slug: string; readonly version: string } {
  const [, slug, version] =
    /^([a-z0-9]+(?:-[a-z0-9]+)*)@((?:0|[1-9]\d{0,8})\.(?:0|[1-9]\d{0,8})\.(?:0|[1-9]\d{0,8}))$/.exec(text) ??
    []
  if (slug !== undefined && version !== undefined) return { slug, version }
  const problem = `${JSON.stringify(text.slice(0, 80))} is not a version of a pack`
  throw new CommandError('usage', problem, 'use SLUG@VERSION, for example tls-basics@1.2.0')
}

/**
 * Reads the document of a published version without writing to the catalog, and checks its digest.
 * @param name `SLUG@VERSION`
 * @param data folder of the embedded catalog, as for `--data`; `DATABASE_URL` takes precedence
 */
export async function openVersion(host: Host, name: string, data: string): Promise<Pack> {
  const { slug, version } = parseVersionName(name)
  const { CatalogError, findPurged, openDocument, purgedVersionError } = await import('@packs/catalog')
  const [found, history] = await withReadOnlyCatalog(host, locateServices(data), ({ packs }) =>
    Promise.all([packs.version(slug, version), packs.versions(slug)]),
  )
  if (found !== undefined) return openDocument(found)
  const purged = findPurged(history, version)
  if (purged !== undefined) throw purgedVersionError(purged, version)
  const problem = `there is no version ${slug}@${version}`
  throw new CatalogError('unknown_version', problem, 'check the slug and the version')
}
