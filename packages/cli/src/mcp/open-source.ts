import { basename } from 'node:path'
import type { Docs } from '@packs/client'
import type { Command } from 'commander'
import { usageError } from '../cli-error.ts'
import { LOCK_NAME, findLock, readPins, openClient, type CatalogOptions } from '../lock/pinned-packs.ts'
import { loadTokenizer } from '../user-cache/load-tokenizer.ts'
import { loadStoredIndex } from '../user-cache/stored-results.ts'
import { openFiles } from '@packs/files'
import { writeNote, writeWarning } from '../output/terminal.ts'

/** Where packs come from, if not from inputs. */
export interface SourceOptions extends CatalogOptions {
  readonly lock: string | undefined
}

/** The input `packs.lock` is taken for `--lock`. */
export function readSourceOptions(command: Command, inputs: readonly string[]): SourceOptions {
  const { url: given, lock: named } = command.opts<Partial<SourceOptions>>()
  const { PACK_URL } = process.env
  const locked = inputs.find((input) => basename(input) === LOCK_NAME)
  if (locked !== undefined && (inputs.length > 1 || named !== undefined))
    throw usageError(
      `the lock ${locked} takes no other inputs`,
      `name only --lock ${locked}, or only the others`,
    )
  const lock = named ?? locked
  const hasInputs = inputs.length > 0 && locked === undefined
  const other = given === undefined ? lock && '--lock' : '--url'
  if (hasInputs && other) throw usageError(`${other} takes no inputs`, `omit the inputs, or ${other}`)
  const url = given ?? (hasInputs || PACK_URL === '' ? undefined : PACK_URL)
  if (!hasInputs && lock === undefined && url === undefined) {
    const hint = 'name a folder, --lock packs.lock, or --url with the URL of a catalog'
    throw usageError('no packs are named', hint)
  }
  return { url, lock }
}

/** Inputs, options and the lock are checked at once; packs are read when they are first needed. */
export async function openSource(
  inputs: readonly string[],
  { lock: lockFile, ...options }: SourceOptions,
): Promise<Docs> {
  const { createDocs, createMemorySource, openClientDocs } = await import('@packs/client/internal')
  if (inputs.length > 0 && lockFile === undefined) {
    const { load, loadIndex } = await openFiles(inputs, {
      loadTokenizer,
      loadStored: loadStoredIndex,
      onWarning: writeWarning,
      onNote: writeNote,
    })
    return createDocs(createMemorySource(load, loadTokenizer, loadIndex), loadTokenizer)
  }
  const lock = lockFile === undefined ? undefined : await readPins(findLock(lockFile))
  const { client } = await openClient(options, lock)
  return openClientDocs(client, loadTokenizer)
}
