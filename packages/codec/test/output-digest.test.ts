import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { examplePacks } from '../../test-kit/test/example-packs.ts'
import { compress } from '../src/compress/compress.ts'
import { tokenizerNames } from '../src/tokens/get-tokenizer.ts'
import { loadTokenizer } from '../src/tokens/load-tokenizer.ts'
import './load-o200k-base.ts'

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
/** Characters that tokenizers have read in different ways, each between others. */
// prettier-ignore
const UNUSUAL = [
  '\ufeff', '\u0085', '\u180e', '\u200b', '\u2028', '\u001c', "'ſ", "'S", '٣', '\u0301', '𝟙', '\r\n',
  '\u00a0',
]
  .flatMap((text) => ['a', ' ', "I'", '1', '\n', '#'].map((next) => next + text + next))
  .join('')
const SCHEMES = ['minify-1', 'dense-2', 'max-2'] as const

it('is written and counted as before, or the version has been raised', async () => {
  const { version } = JSON.parse(read('../package.json')) as { version: string }
  const recorded = JSON.parse(read('output-digests.json')) as Record<string, string>
  // If this fails, the codec writes or counts something else than before. `pack verify` tells builds apart by the version
  // of the codec: if this version has been released, raise it; then record the digest in output-digests.json.
  expect({ [version]: recorded[version] }).toEqual({ [version]: await digestOutput() })
})

/** Digest of what the codec writes for the examples in each scheme, and of its counts for unusual text. */
async function digestOutput(): Promise<string> {
  const hash = createHash('sha256')
  for (const { slug, text } of examplePacks) {
    for (const scheme of SCHEMES) {
      const { content, rosetta, tokens } = compress(text, { scheme })
      hash.update(JSON.stringify([slug, scheme, content, rosetta, tokens]))
    }
  }
  for (const name of tokenizerNames) hash.update(JSON.stringify((await loadTokenizer(name)).encode(UNUSUAL)))
  return hash.digest('hex')
}
