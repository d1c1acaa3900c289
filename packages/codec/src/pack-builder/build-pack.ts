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
  const { buildPackSync } = await import('./build-pack-sync.ts')
  await loadTokenizer(options.tokenizer ?? parsed.tokenizer)
  return buildPackSync(parsed, options)
}
