import type { Pack } from '@packs/codec/pack'
import { CommandError } from '../command-error.ts'
import type { Host } from '../host.ts'
import { locateServices, withReadOnlyCatalog } from './open-services.ts'

/** A version as written on the command line. */
export interface VersionName {
  readonly slug: string
  readonly version: string
}

/** Parses `SLUG@VERSION`. @throws CommandError `usage` */
export function parseVersionName(text: string): VersionName {
  const [, slug, version] =
    /^([a-z0-9]+(?:-[a-z0-9]+)*)@((?:0|[1-9]\d{0,8})\.(?:0|[1-9]\d{0,8})\.(?:0|[1-9]\d{0,8}))$/.exec(text) ??
    []
  if (slug !== undefined && version !== undefined) return { slug, version }
  throw new CommandError(
    'usage',
    `${JSON.stringify(text.slice(0, 80))} is not the name of a version`,
    'write it like tls-basics@1.2.0',
  )
}

/**
 * Reads the document of a published version, without writing to the catalog. It is compared with its digest.
 *
 * @param name `SLUG@VERSION`
 * @param data folder of the embedded catalog, as for `--data`; `DATABASE_URL` comes first
 * @throws CommandError `usage`
 * @throws CatalogError `unknown_version`, `catalog_damaged`, `catalog_unavailable`
 * @example
 * const { content, rosetta } = await openVersion(host, 'tls-basics@1.2.0', '.packs')
 */
export async function openVersion(host: Host, name: string, data: string): Promise<Pack> {
  const { slug, version } = parseVersionName(name)
  const { CatalogError, openDocument } = await import('@packs/catalog')
  const found = await withReadOnlyCatalog(host, locateServices(data), ({ packs }) =>
    packs.version(slug, version),
  )
  if (found !== undefined) return openDocument(found)
  throw new CatalogError(
    'unknown_version',
    `there is no version ${slug}@${version}`,
    'check slug and version',
  )
}
