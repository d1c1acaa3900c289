import type { Client, ClientErrorCode, FullPack, Lock, PreviewPack, VersionLine } from '@packs/client'
import type { FolderCache } from '@packs/client/node'
import type { Command } from 'commander'
import { CliError } from '../cli-error.ts'
import { addStatuses, type exitStatus } from '../exit-status.ts'
import { adviseOn } from './catalog-hints.ts'

/** How `pack --help` describes the environment of these commands. */
export const CATALOG_HELP = `
The catalog is that of --url or PACK_URL. PACK_KEY has the API key of a Pro account; it is never an option, which other users could see.
It is sent over https, and over http to this machine only, unless --allow-http is given or PACK_ALLOW_HTTP is 1.`

/** What `--allow-http` does. */
export const ALLOW_HTTP = 'send the key over http to any host, where others can read it'

export interface CatalogOptions {
  readonly url?: string | undefined
  readonly allowHttp?: boolean | undefined
}

/** Adds the options for the address of the catalog. */
export function addCatalogOption(command: Command): Command {
  return command
    .option('--url <address>', 'address of the catalog; default: PACK_URL')
    .option('--allow-http', ALLOW_HTTP)
}

/** Exit statuses of the errors of a client, and of the catalog's API where it is not 1. */
const EXITS = {
  invalid_name: 'usage',
  invalid_range: 'usage',
  invalid_option: 'usage',
  insecure_url: 'refused',
  no_matching_version: 'findings',
  not_in_lock: 'findings',
  invalid_lock: 'findings',
  lock_mismatch: 'refused',
  not_cached: 'findings',
  unreachable: 'unavailable',
  timeout: 'unavailable',
  invalid_response: 'unavailable',
  digest_mismatch: 'findings',
  response_too_large: 'findings',
  preview_only: 'refused',
  missing_api_key: 'refused',
  invalid_api_key: 'refused',
  tier_required: 'refused',
  quota_exceeded: 'unavailable',
  too_many_failed_keys: 'unavailable',
  recovery_mode: 'unavailable',
  service_unavailable: 'unavailable',
  internal_error: 'unavailable',
} satisfies Record<ClientErrorCode, keyof typeof exitStatus> & Record<string, keyof typeof exitStatus>

/** A catalog as commands use it. Its errors name the pack and what to do. */
export interface OpenCatalog {
  /** @param name slug, slug@range or id */
  readonly get: (name: string) => Promise<FullPack | PreviewPack>
  readonly versions: (slug: string) => Promise<readonly VersionLine[]>
  readonly cache: FolderCache
}

/**
 * Opens the catalog of the options or the environment, with the cache folder of the user.
 *
 * @param lock serves the pins of this lock; then no catalog needs to be named
 * @throws CliError `usage` if a catalog is needed and none is named
 * @throws ClientError `invalid_option`, `insecure_url`
 */
export async function openCatalog({ url, allowHttp }: CatalogOptions, lock?: Lock): Promise<OpenCatalog> {
  const address = url ?? process.env['PACK_URL']
  if (lock === undefined && !address) {
    throw new CliError('usage', 'no catalog is named', 'name one with --url, or set PACK_URL')
  }
  const { client, cache } = await openClient({ url: address, allowHttp }, lock)
  const { packs } = client
  return {
    get: (name) => explain(name, () => packs.get(name)),
    versions: (slug) => explain(slug, () => packs.versions(slug)),
    cache,
  }
}

/**
 * Creates the client of a command: with the key of the environment and the cache folder of the user.
 *
 * @throws ClientError `invalid_option`, `insecure_url`
 */
export async function openClient(
  { url, allowHttp = process.env['PACK_ALLOW_HTTP'] === '1' }: CatalogOptions,
  lock?: Lock,
): Promise<{ readonly client: Client; readonly cache: FolderCache }> {
  addStatuses(EXITS)
  const { createClient } = await import('@packs/client')
  const { createFolderCache } = await import('@packs/client/node')
  const cache = createFolderCache()
  const key = process.env['PACK_KEY'] || undefined
  const options = { url: url || undefined, key, allowHttp, cache, lock }
  return { client: await explain(undefined, () => createClient(options)), cache }
}

/** Runs a call of the client, and makes its error one of this program. */
async function explain<Result>(
  name: string | undefined,
  call: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    const { ClientError } = await import('@packs/client')
    if (!(error instanceof ClientError)) throw error
    const message = error.message.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase())
    const isNamed = name === undefined || message.includes(name.split('@')[0]!)
    const { code, status, requestId, retryAt } = error
    const details = { status, requestId, retryAt, cause: error }
    throw new ClientError(code, isNamed ? message : `${name}: ${message}`, adviseOn(error), details)
  }
}
