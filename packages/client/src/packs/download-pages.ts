import { invalidResponseError, rethrow } from '../client-error.ts'
import {
  checkShape,
  type Connection,
  damagedShape,
  downloadShape,
  FRESH,
  parseJson,
  removedShape,
  request,
  writePath,
} from '../requests/load.ts'
import type { DownloadEntry, DownloadItem, DownloadOptions } from '../types.ts'
import { nameSigner, PACK_LIMIT, verifyPackDocument } from './named-packs.ts'

/** Most bytes of a page of a download: 32 MiB and one pack. */
const DOWNLOAD_LIMIT = 2 * PACK_LIMIT

interface DownloadPage {
  readonly data: readonly { readonly removed?: unknown; readonly id: string; readonly slug: string }[]
  readonly meta: {
    readonly count: number
    readonly next_cursor: string | null
    readonly resume_cursor?: string
    readonly damaged?: readonly { readonly slug: string; readonly version: string | null }[]
  }
}

/**
 * A page is JSON and not NDJSON, because JSON that parses is complete; its packs are verified
 * before the first one is yielded.
 */
export async function* downloadPages(
  connection: Connection,
  { updatedSince: updated_since, cursor, signal, ...filters }: DownloadOptions = {},
): AsyncGenerator<DownloadEntry, void, undefined> {
  for (;;) {
    const query = { ...filters, updated_since, include: 'document', cursor }
    const resource = {
      path: writePath('/packs/download', query),
      limit: DOWNLOAD_LIMIT,
      isBulk: true,
      parse: (text: string) => readDownloadPage(text, connection.signers).catch(rethrow),
    }
    const { entries, meta } = (await request(connection, resource, { signal }))!.value
    const next = meta.next_cursor ?? meta.resume_cursor
    const last = entries.at(-1)
    for (const entry of entries) yield { ...entry, cursor: entry === last ? next : cursor }
    if (meta.next_cursor === null || next === cursor) return
    cursor = next
  }
}

async function readDownloadPage(text: string, signers: readonly string[] | undefined) {
  const { data, meta } = parseJson<DownloadPage>(text, downloadShape)
  const { count, damaged = [] } = meta
  if (count !== data.length) throw invalidResponseError('its count is wrong')
  checkShape(damaged, damagedShape)
  const entries: DownloadItem[] = []
  for (const item of data) {
    if (item.removed) {
      checkShape(item, removedShape)
      entries.push({ kind: 'removed', id: item.id, slug: item.slug })
    } else
      entries.push({
        kind: 'pack',
        pack: { ...nameSigner(await verifyPackDocument(item), signers), ...FRESH },
      })
  }
  for (const { slug, version } of damaged) entries.push({ kind: 'damaged', slug, version })
  return { entries, meta }
}
