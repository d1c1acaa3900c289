import { hash } from 'node:crypto'
import { PackError, parsePack, serializeCanonical, type Pack } from '@packs/codec/pack'
import type { PackVersion } from '../types.ts'
import { damagedError } from './version-row.ts'

/**
 * Parses the document of a version, and compares it with its digest and with the summary. So a document that another program
 * changed is never shown.
 *
 * @throws CatalogError `catalog_damaged`, which names the version
 */
export function openDocument(version: PackVersion): Pack {
  const { slug, version: number, sequence } = version
  const fail = (what: string, cause?: unknown): Error =>
    damagedError(`versions.document ${what} in the row of sequence ${sequence}`, {
      cause,
      damaged: { slug, version: number },
    })
  let pack: Pack
  try {
    pack = parsePack(version.document)
  } catch (error) {
    if (!(error instanceof PackError)) throw error
    throw fail('cannot be read', error)
  }
  if (hash('sha256', serializeCanonical(pack)) !== pack.pack_digest) throw fail('does not match its digest')
  const { content: _content, rosetta: _rosetta, preview_content: _preview, ...fields } = pack
  const summary = new Map<string, unknown>(Object.entries(version))
  const differing = Object.entries(fields).filter(([name, value]) => summary.get(name) !== value)
  if (differing.length === 0) return pack
  throw fail(`differs from versions.summary (${differing.map(([name]) => name).join(', ')})`)
}
