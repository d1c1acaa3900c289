import type { Pack } from '@packs/codec/pack'
import { CliError } from '../cli-error.ts'
import { findPacks } from '../input/find-packs.ts'
import { MAX_SOURCE_BYTES } from '../input/read-bounded.ts'
import { openSoundPack } from '../input/read-pack.ts'
import { startProgress } from '../output/progress.ts'
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
}

/**
 * Reads packs, whose sources together may be as large as a single one. Reads no further after the pack with which they are larger.
 *
 * @throws CliError of `findPacks` and {@link openSoundPack}
 * @throws DecodeError
 * @throws PromptError `source_too_large`
 */
export async function readPacks(
  inputs: readonly string[],
  { isPartEnough, isQuiet }: ReadOptions,
): Promise<OpenPacks> {
  const { files, failures } = findPacks(inputs)
  for (const failure of failures) throw failure
  const markdown = files.find(({ path }) => /\.(?:md|markdown|mdx)$/i.test(path))
  if (markdown !== undefined) throw sourceInputError(markdown.shown)
  const packs: Pack[] = []
  const progress = startProgress('reading', files.length, isQuiet)
  let bytes = 0
  try {
    for (const { path, shown } of files) {
      const { pack, source } = await openSoundPack(path, shown)
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
