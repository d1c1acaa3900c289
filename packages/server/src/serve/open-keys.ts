import type { KeysDocument } from '@packs/codec/signatures'
import type { Logger } from 'pino'
import { readKeys, stampFile } from '../services/read-keys.ts'

/** Returns the keys document as it is now; undefined if there is none. */
export type KeysReader = () => Promise<KeysDocument | undefined>

/**
 * Opens the keys document of a server. A file that changes is read again, so that a revocation needs no restart. One that cannot be
 * used any more is logged once, and the document before it is served.
 *
 * @param isNeeded whether the file must exist at the start
 * @throws KeysError `invalid_keys`; CommandError `file_unreadable`
 */
export async function openKeys(
  path: string,
  isNeeded: boolean,
  log: Pick<Logger, 'error'>,
): Promise<KeysReader> {
  let current = await readKeys(path, isNeeded)
  let stamp = current?.stamp
  return async () => {
    const found = stampFile(path)
    if (found === stamp) return current
    stamp = found
    try {
      current = await readKeys(path, false)
    } catch (error) {
      const { code, message } = error as Error & { readonly code: string }
      log.error({ code, problem: message }, 'the keys document cannot be used; the one before it is served')
    }
    return current
  }
}
