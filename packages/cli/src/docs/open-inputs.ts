import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import type { Docs } from '@packs/client'
import { openFiles } from '@packs/files'
import type { Command } from 'commander'
import { type CliError, explainMissing, usageError } from '../cli-error.ts'
import { findLock, LOCK_NAME, openClient, readPins } from '../lock/pinned-packs.ts'
import { quotePath, writeNote, writeWarning } from '../output/terminal.ts'
import { loadTokenizer } from '../user-cache/load-tokenizer.ts'
import { loadStoredIndex } from '../user-cache/stored-results.ts'

/** How the help of a command says where documents come from. */
export const INPUTS_HELP = `
  inputs    packs, markdown, globs, or folders (every .pack.json and markdown file in them, recursively); packs.lock is --lock packs.lock
  --lock    the versions in a packs.lock, from the cache that "pack install" fills, or else from the catalog of --url or PACK_URL
  --url     a catalog; the key comes from PACK_KEY. Without inputs and --lock, PACK_URL is the default, and without it the folder dist. The key is sent over https, and over http to this machine only, unless PACK_ALLOW_HTTP is 1`

export function addInputs(command: Command): Command {
  return command
    .argument('[inputs...]', 'packs, markdown, globs, folders or packs.lock')
    .option('--url <url>', 'URL of a catalog')
    .option('--lock <file>', 'use the versions in a packs.lock')
}

interface Place {
  readonly url: string | undefined
  readonly lock: string | undefined
}

/** Where `pack build` writes packs. */
const BUILT = 'dist'

/**
 * Opens what a command names. Inputs, options and the lock are checked at once; packs are read when
 * they are first needed.
 * @param query what was asked for before the inputs, for hints
 */
export async function openInputs(
  command: Command,
  named: readonly string[],
  query: string = '',
): Promise<Docs> {
  if (named.length === 0 && /[./\\]/.test(query) && existsSync(query)) throw orderError(command)
  const { url, lock } = readPlace(command, named)
  const inputs = named.length === 0 && lock === undefined && url === undefined ? [BUILT] : named
  const { createDocs, createMemorySource, openClientDocs } = await import('@packs/client/internal')
  if (inputs.length > 0 && lock === undefined) {
    const notes = { onWarning: writeWarning, onNote: writeNote }
    const opening = openFiles(inputs, { loadTokenizer, loadStored: loadStoredIndex, ...notes })
    const { load, loadIndex } = await opening.catch((error: unknown) =>
      explainMissing(error, (file) => checkWords(command, file, query)),
    )
    return createDocs(createMemorySource(load, loadTokenizer, loadIndex), loadTokenizer)
  }
  const pins = lock === undefined ? undefined : await readPins(findLock(lock))
  const { client } = await openClient({ url }, pins)
  return openClientDocs(client, loadTokenizer)
}

function readPlace(command: Command, inputs: readonly string[]): Place {
  const { url: given, lock: named } = command.opts<Partial<Place>>()
  const { PACK_URL } = process.env
  const locked = inputs.find((input) => basename(input) === LOCK_NAME)
  if (locked !== undefined && (inputs.length > 1 || named !== undefined))
    throw usageError(`the lock ${locked} takes no other inputs`, 'name only the lock, or only the others')
  const lock = named ?? locked
  const hasInputs = inputs.length > 0 && locked === undefined
  const other = given === undefined ? lock && '--lock' : '--url'
  if (hasInputs && other) throw usageError(`${other} takes no inputs`, `omit the inputs, or ${other}`)
  const url = given ?? (hasInputs || PACK_URL === '' ? undefined : PACK_URL)
  if (!hasInputs && lock === undefined && url === undefined && !existsSync(BUILT)) {
    const hint = 'name a folder, --lock packs.lock, or --url with the URL of a catalog'
    throw usageError('no packs are named', hint)
  }
  return { url, lock }
}

/** Words after the first are taken for files, and a query after the files for one of them. */
function checkWords(command: Command, file: string, query: string): undefined {
  const isFirst = query !== '' && existsSync(query)
  const isWord = query !== '' && !/\s/.test(query) && !isPath(file)
  const missing = isFirst || command.args.length > 2 ? undefined : `${file} does not exist`
  if (isFirst || isWord) throw orderError(command, missing)
}

function isPath(text: string): boolean {
  return /[./\\*]/.test(text) || existsSync(text)
}

function orderError(command: Command, missing?: string): CliError {
  const words = command.args.filter((arg) => !isPath(arg)).join(' ') || 'a question'
  const files = command.args.filter((arg) => isPath(arg))
  const corrected = ['pack', command.name(), ...[words, ...files].map(quotePath)].join(' ')
  if (missing !== undefined) return usageError(missing, `name a folder, or as one query: ${corrected}`)
  return usageError('the words come first, in quotes, then the files', `write ${corrected}`)
}
