import { CliError } from '../cli-error.ts'
import { MAX_PACK_BYTES, readBounded } from './read-bounded.ts'

/**
 * Reads a pack file, or stdin for `-`, as text.
 *
 * @throws CliError of {@link readBounded}, and `invalid_pack` where the bytes are not UTF-8
 */
export async function readPackText(path: string): Promise<string> {
  const bytes = await readBounded(path, MAX_PACK_BYTES)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    const shown = path === '-' ? '<stdin>' : path
    throw new CliError('invalid_pack', `${shown} is not UTF-8 text`, 'name a .pack.json file', {
      file: shown,
      cause: error,
    })
  }
}
