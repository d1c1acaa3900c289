import { join } from 'node:path'
import type { Catalog } from '@packs/catalog'
import type { Runner } from '@packs/publisher'
import { Option, type Command } from 'commander'

/** Where catalog and queue are. This alone reads it from the environment. */
export interface ServicePlaces {
  /** Address of the database; the embedded catalog's file without `DATABASE_URL`. */
  readonly databaseUrl: string
  /** Publishes run in process without it. */
  readonly redisUrl: string | undefined
}

/** Declares `--data`. */
export function addDataOption(command: Command): Command {
  return command.addOption(
    new Option('--data <dir>', 'folder of the embedded catalog').env('PACK_DATA').default('.packs'),
  )
}

/** Reads `--data` of a command, `DATABASE_URL` and `REDIS_URL`. */
export function readPlaces(command: Command): ServicePlaces {
  const { data } = command.opts<{ data: string }>()
  const { DATABASE_URL, REDIS_URL } = process.env
  return {
    databaseUrl: DATABASE_URL || `sqlite:${join(data, 'catalog.sqlite')}`,
    redisUrl: REDIS_URL || undefined,
  }
}

/** Opens the catalog for a piece of work, and closes it whatever comes of it. @throws CatalogError */
export async function withCatalog<T>(
  { databaseUrl }: ServicePlaces,
  work: (catalog: Catalog) => Promise<T>,
): Promise<T> {
  const { openCatalog } = await import('@packs/catalog')
  const catalog = await openCatalog({ url: databaseUrl })
  try {
    return await work(catalog)
  } finally {
    await catalog.close()
  }
}

/** Opens what publishes run by, for a piece of work. @throws PublishError */
export async function withRunner<T>(
  { redisUrl }: ServicePlaces,
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
