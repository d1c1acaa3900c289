import type { Client, ClientErrorCode, FullPack, Lock, PreviewPack, VersionLine } from '@packs/client'
import { createFolderCache, type FolderCache } from '@packs/client/node'
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

interface OpenOptions extends CatalogOptions {
  /** Asks the catalog also for versions that are cached, because they may be signed by now. */
  readonly isFresh?: boolean
  /** Takes only what one of these keys signed. */
  readonly signers?: readonly string[]
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
  signer_mismatch: 'refused',
  not_cached: 'findings',
  unreachable: 'unavailable',
  timeout: 'unavailable',
  invalid_response: 'unavailable',
  digest_mismatch: 'findings',
  invalid_signature: 'refused',
  response_too_large: 'findings',
  preview_only: 'refused',
  missing_api_key: 'refused',
  invalid_api_key: 'refused',
  tier_required: 'refused',
  quota_exceeded: 'unavailable',
  too_many_failed_keys: 'unavailable',
  too_many_requests: 'unavailable',
  recovery_mode: 'unavailable',
  service_unavailable: 'unavailable',
  internal_error: 'unavailable',
} satisfies Record<ClientErrorCode, keyof typeof exitStatus> & Record<string, keyof typeof exitStatus>

/** A catalog as commands use it. Its errors name the pack and what to do. */
export interface OpenCatalog {
  /**
   * @param name slug, slug@range or id
   * @param signer id of the key that must have signed the pack; undefined for any, or none
   */
  readonly get: (name: string, signer?: string) => Promise<FullPack | PreviewPack>
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
export async function openCatalog(options: OpenOptions, lock?: Lock): Promise<OpenCatalog> {
  const { url, ...rest } = options
  const address = url ?? process.env['PACK_URL']
  if (lock === undefined && !address) {
    throw new CliError('usage', 'no catalog is named', 'name one with --url, or set PACK_URL')
  }
  const open = (signers?: readonly string[]): ReturnType<typeof openClient> =>
    openClient({ ...rest, url: address, ...(signers && { signers }) }, lock)
  const { client, cache } = await open()
  return {
    async get(name, signer) {
      const { client: asked } = signer === undefined ? { client } : await open([signer])
      return explain(name, () => asked.packs.get(name))
    },
    versions: (slug) => explain(slug, () => client.packs.versions(slug)),
    cache,
  }
}

/** Reads packs from the cache, and no response of the catalog. */
function getPackEntry(cache: FolderCache, entry: string): Promise<string | undefined> {
  return entry.startsWith('response/') ? Promise.resolve(undefined) : cache.get(entry)
}

/**
 * Creates the client of a command: with the key of the environment and the cache folder of the user.
 *
 * @throws ClientError `invalid_option`, `insecure_url`
 */
export async function openClient(
  { url, allowHttp = process.env['PACK_ALLOW_HTTP'] === '1', isFresh, signers }: OpenOptions,
  lock?: Lock,
): Promise<{ readonly client: Client; readonly cache: FolderCache }> {
  addStatuses(EXITS)
  const { createClient } = await import('@packs/client')
  const cache = createFolderCache()
  const key = process.env['PACK_KEY'] || undefined
  const used = isFresh ? { ...cache, get: (entry: string) => getPackEntry(cache, entry) } : cache
  const options = { url: url || undefined, key, allowHttp, cache: used, lock, ...(signers && { signers }) }
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
