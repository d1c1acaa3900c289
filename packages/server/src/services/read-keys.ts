import { statSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { readRegularFile } from '@packs/files'
import { KeysError, parseKeys, type KeysDocument } from '@packs/codec/internal'
import type { Logger } from 'pino'
import { CommandError } from '../command-error.ts'
import type { Host } from '../host.ts'

const KEYS_NAME = 'packs-keys.json'
/** Of the 65,536 UTF-16 units that a keys document may have, each takes at most three. */
const MAX_BYTES = 3 * 65_536

/** A keys document with a stamp that tells whether the file has changed. */
export interface KeysFile extends KeysDocument {
  readonly stamp: string
}

/** Returns the path of the keys document: the named one, or the default in the data folder. */
export function findKeysPath(named: string | undefined, folder: string): string {
  return named ?? join(folder, KEYS_NAME)
}

/**
 * @param isNeeded whether a missing file is an error
 * @throws KeysError `invalid_keys`; CommandError `file_unreadable`
 */
export async function readKeys(path: string, isNeeded: boolean): Promise<KeysFile | undefined> {
  try {
    const { data, stats } = readRegularFile(path, MAX_BYTES)
    return { ...(await parseKeys(data.toString())), stamp: describeState(stats) }
  } catch (error) {
    if (error instanceof KeysError) throw new KeysError(`${path}: ${error.message}`)
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && !isNeeded) return undefined
    if (code === 'too_large')
      throw new KeysError(`${path}: The keys document is larger than ${MAX_BYTES} bytes`)
    const hint = 'set --keys to a keys document, as written by `pack signers`'
    const problem = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`
    throw new CommandError('file_unreadable', `${path} ${problem}`, hint, { file: path })
  }
}

/**
 * Checks before anything is built that a key may sign.
 * @param named keys document that must exist; undefined for the one in the folder, if any
 * @throws CommandError `signer_ended`
 */
export async function checkSigner(
  host: Host,
  id: string,
  named: string | undefined,
  folder: string,
): Promise<void> {
  const path = findKeysPath(named, folder)
  const document = await readKeys(path, named !== undefined)
  const status = document?.keys.find(({ kid }) => kid === id)?.status
  if (status === undefined && document)
    host.writeNote(`the key ${id} is not in ${path}, so readers cannot find it there`)
  if (status === undefined || status === 'active') return
  const problem = `the key ${id} is ${status} in ${path}, so it cannot sign`
  const hint = 'sign with an active key; `pack signers create` makes one'
  throw new CommandError('signer_ended', problem, hint)
}

export type KeysReader = () => Promise<KeysDocument | undefined>

/**
 * The file is reloaded when it changes, so that a revocation needs no restart. If it is no longer
 * usable, that is logged once and the previous document is served.
 */
export async function openKeys(
  path: string,
  isNeeded: boolean,
  log: Pick<Logger, 'error'>,
): Promise<KeysReader> {
  let current = await readKeys(path, isNeeded)
  let stamp = current?.stamp
  return async () => {
    const stats = statSync(path, { throwIfNoEntry: false })
    const found = stats && describeState(stats)
    if (found === stamp) return current
    stamp = found
    try {
      current = await readKeys(path, false)
    } catch (error) {
      const { code, message } = error as Error & { readonly code: string }
      log.error({ code, problem: message }, 'the keys document cannot be used; the previous one is served')
    }
    return current
  }
}

function describeState({ mtimeMs, size, ino }: Stats): string {
  return `${mtimeMs} ${size} ${ino}`
}
