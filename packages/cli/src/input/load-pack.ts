import type { Pack } from '@packs/codec/pack'
import { CliError } from '../cli-error.ts'
import { MAX_PACK_BYTES, readBounded } from './read-bounded.ts'

/**
 * Loads a pack document from a file, or from stdin for `-`.
 *
 * @param shown how the file is called in messages
 * @throws CliError of {@link readBounded}, and `invalid_pack` with what is wrong in it
 */
export async function loadPack(path: string, shown: string = path === '-' ? '<stdin>' : path): Promise<Pack> {
  const bytes = await readBounded(path, MAX_PACK_BYTES, shown)
  const { parsePack, PackError } = await import('@packs/codec/pack')
  try {
    return parsePack(bytes)
  } catch (error) {
    if (!(error instanceof PackError)) throw error
    throw new CliError('invalid_pack', `${shown}: ${error.message}`, error.hint, {
      file: shown,
      cause: error,
    })
  }
}
