import { PackError } from '../pack/pack-error.ts'
import type { Source } from '../source/types.ts'
import { loadTokenizer } from '../tokens/load-tokenizer.ts'
import type { BuildOptions, BuildResult } from './build-pack-sync.ts'

/**
 * Builds the pack of a source: compresses its body, counts tokens, cuts the preview and adds the
 * digest. Loads the compressor and its tokenizer.
 *
 * The same source gives the same bytes. `messages` lists what the author should know.
 * @throws TokenError for an unknown tokenizer
 * @example
 * const { source } = parseSource(markdown, { path: 'tls.md' })
 * const { pack, messages } = await buildPack(source)
 */
export async function buildPack(parsed: Source, options: BuildOptions = {}): Promise<BuildResult> {
  const isSource: boolean = typeof (parsed as Partial<Source> | undefined)?.body === 'string'
  if (!isSource)
    throw new PackError('invalid_source', 'This is not a source', 'Pass the source that parseSource returns.')
  const { buildPackSync } = await import('./build-pack-sync.ts')
  await loadTokenizer(options.tokenizer ?? parsed.tokenizer)
  return buildPackSync(parsed, options)
}
