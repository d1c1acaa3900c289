import type { Pack } from '@packs/codec/pack'
import { CliError } from '../cli-error.ts'
import { MAX_SOURCE_BYTES } from '../input/read-bounded.ts'
import { decodeText } from '../input/decode-text.ts'
import { openSoundPack, type OpenPack } from '../input/read-pack.ts'
import { startProgress } from '../output/progress.ts'
import { findPackInputs, mentionPin, type PackInput } from '../lock/find-pack-inputs.ts'
import { PromptError } from './compose-in-thread.ts'

/** The packs of a prompt. */
export interface OpenPacks {
  /** The first packs, as many as were read. */
  readonly packs: readonly Pack[]
  /** Names of all packs in messages. */
  readonly shown: readonly string[]
}

/** How packs are read. */
export interface ReadOptions {
  /** Return the first packs if the sources of all are too large. */
  readonly isPartEnough: boolean
  readonly isQuiet: boolean
  /** Lock whose packs can be named; default: that of {@link findLock}. */
  readonly lock?: string | undefined
}

/**
 * Reads packs from files and from a lock, whose sources together may be as large as a single one. Reads no further after the pack with which they are larger.
 *
 * @throws CliError of {@link findPackInputs} and {@link openSoundPack}
 * @throws ClientError for a pack of the lock
 * @throws DecodeError
 * @throws PromptError `source_too_large`
 */
export async function readPacks(inputs: readonly string[], options: ReadOptions): Promise<OpenPacks> {
  try {
    return await readAll(inputs, options)
  } catch (error) {
    throw await mentionPin(error, inputs, options.lock)
  }
}

async function readAll(
  inputs: readonly string[],
  { isPartEnough, isQuiet, lock }: ReadOptions,
): Promise<OpenPacks> {
  const files = await findPackInputs(inputs, lock)
  const markdown = files.find(({ path = '' }) => /\.(?:md|markdown|mdx)$/i.test(path))
  if (markdown !== undefined) throw sourceInputError(markdown.shown)
  const packs: Pack[] = []
  const progress = startProgress('reading', files.length, isQuiet)
  let bytes = 0
  try {
    for (const file of files) {
      const { shown } = file
      const { pack, source } = await openInput(file)
      bytes += Buffer.byteLength(source)
      if (bytes > MAX_SOURCE_BYTES) {
        if (isPartEnough && packs.length > 0) break
        throw tooLargeError(shown)
      }
      packs.push(pack)
      progress.advance()
    }
  } finally {
    progress.stop()
  }
  return { packs, shown: files.map(({ shown }) => shown) }
}

async function openInput({ shown, path, restore }: PackInput): Promise<OpenPack> {
  if (path !== undefined) return openSoundPack(path, shown)
  const pack = await restore()
  return { pack, source: decodeText(pack, shown, MAX_SOURCE_BYTES) }
}

function sourceInputError(shown: string): CliError {
  return new CliError(
    'invalid_pack',
    `${shown} is a source, not a pack`,
    'run `pack build` on the sources first, then `pack prompt` on the packs',
    { file: shown },
  )
}

function tooLargeError(file: string): PromptError {
  const most = `${MAX_SOURCE_BYTES / 1024 / 1024} MiB`
  const message = `with ${file} the sources are larger than ${most} together`
  return new PromptError('source_too_large', message, 'name fewer packs at once', { file })
}
