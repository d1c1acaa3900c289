import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Catalog, CatalogOptions } from '@packs/catalog'
import type { Runner } from '@packs/publisher'
import { Option, type Command } from 'commander'

/** Where catalog and queue are. This alone reads it from the environment. */
export interface ServiceUrls {
  /** Address of the database; the embedded catalog's file without `DATABASE_URL`. */
  readonly databaseUrl: string
  /** File of the embedded catalog; absent where the database is another. */
  readonly file?: string
  /** Publishes run in process without it. */
  readonly redisUrl: string | undefined
}

/** Declares `--data`. */
export function addDataOption(command: Command): Command {
  return command.addOption(
    new Option('--data <dir>', 'folder of the embedded catalog').env('PACK_DATA').default('.packs'),
  )
}

/** Gives the folder that `--data` of a command names. An empty `PACK_DATA` is none, as with the other variables. */
export function findDataFolder(command: Command): string {
  return resolve(command.opts<{ data: string }>().data || '.packs')
}

/** Reads `--data` of a command, `DATABASE_URL` and `REDIS_URL`. */
export function readServiceUrls(command: Command): ServiceUrls {
  const { DATABASE_URL, REDIS_URL } = process.env
  const redisUrl = REDIS_URL || undefined
  if (DATABASE_URL) return { databaseUrl: DATABASE_URL, redisUrl }
  const file = join(findDataFolder(command), 'catalog.sqlite')
  return { databaseUrl: `sqlite:${file}`, file, redisUrl }
}

/** Opens the catalog for a piece of work, and closes it whatever comes of it. @throws CatalogError */
export async function withCatalog<T>(
  { databaseUrl }: ServiceUrls,
  work: (catalog: Catalog) => Promise<T>,
  options: Pick<CatalogOptions, 'readOnly'> = {},
): Promise<T> {
  const { openCatalog } = await import('@packs/catalog')
  const catalog = await openCatalog({ url: databaseUrl, ...options })
  try {
    return await work(catalog)
  } finally {
    await catalog.close()
  }
}

/**
 * Opens the catalog for a piece of work that publishes nothing: an embedded one that is not there yet is empty, and is not
 * made.
 *
 * @throws CatalogError
 */
export async function withExistingCatalog<T>(
  urls: ServiceUrls,
  work: (catalog: Catalog) => Promise<T>,
): Promise<T> {
  return withCatalog(isMissing(urls) ? EMPTY_CATALOG : urls, work)
}

/** The same for work that only looks: nothing is written, so that it may be done where nothing can be. @throws CatalogError */
export async function withReadOnlyCatalog<T>(
  urls: ServiceUrls,
  work: (catalog: Catalog) => Promise<T>,
): Promise<T> {
  return isMissing(urls) ? withCatalog(EMPTY_CATALOG, work) : withCatalog(urls, work, { readOnly: true })
}

const EMPTY_CATALOG: ServiceUrls = { databaseUrl: 'sqlite::memory:', redisUrl: undefined }

function isMissing({ file }: ServiceUrls): boolean {
  return file !== undefined && !existsSync(file)
}

/** Opens what publishes run by, for a piece of work. @throws PublishError */
export async function withRunner<T>(
  { redisUrl }: ServiceUrls,
  catalog: Catalog,
  work: (runner: Runner) => Promise<T>,
): Promise<T> {
  const runner = await openRunner(redisUrl, catalog)
  try {
    return await work(runner)
  } finally {
    await runner.close()
  }
}

async function openRunner(redisUrl: string | undefined, catalog: Catalog): Promise<Runner> {
  if (redisUrl === undefined) {
    const { createInProcessRunner } = await import('@packs/publisher')
    return createInProcessRunner(catalog)
  }
  const { createQueueRunner } = await import('@packs/publisher/queue')
  return createQueueRunner(catalog, redisUrl)
}
