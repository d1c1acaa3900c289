import { gzipSync } from 'node:zlib'
import { build, type Plugin } from 'esbuild'
import { expect, it } from 'vitest'
import * as client from '../src/index.ts'

it('exports exactly its public names', () => {
  // prettier-ignore
  expect(Object.keys(client).toSorted()).toEqual([
    'ClientError', 'createClient', 'createMemoryCache', 'createPin', 'mayCarryKey', 'openDocs',
    'parseLock', 'serializeLock',
  ])
})

it('takes at most 12 KiB gzipped for a catalog: files, search and tools are loaded on demand', async () => {
  const onDemand: Plugin = {
    name: 'on demand',
    setup: (bundler) =>
      bundler.onResolve({ filter: /./ }, ({ path, kind }) =>
        kind === 'dynamic-import' ? { path, external: true } : undefined,
      ),
  }
  const { outputFiles } = await build({
    stdin: {
      contents: `export { openDocs } from '${new URL('../src/index.ts', import.meta.url).pathname}'`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    conditions: ['source'],
    plugins: [onDemand],
    write: false,
  })
  expect(gzipSync(outputFiles[0]!.contents).length).toBeLessThanOrEqual(12 * 1024)
})

it('types the codes of its errors, so that a switch is checked', () => {
  const isKnown = ({ code }: client.ClientError): boolean => {
    switch (code) {
      case 'not_in_lock':
      case 'pack_not_found':
      case 'over_budget':
      case 'unknown_tokenizer':
        return true
      // @ts-expect-error no error has this code
      case 'pack_not_foud':
        return true
      default:
        return false
    }
  }
  expect(isKnown(new client.ClientError('pack_not_found', '', ''))).toBe(true)
  expect(isKnown(new client.ClientError('of_a_newer_catalog', '', ''))).toBe(false)
})
