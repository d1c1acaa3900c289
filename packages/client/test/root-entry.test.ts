import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import * as client from '../src/index.ts'

it('exports exactly its public names', () => {
  // prettier-ignore
  expect(Object.keys(client).toSorted()).toEqual([
    'ClientError', 'createClient', 'createMemoryCache', 'createPin', 'mayCarryKey', 'parseLock',
    'serializeLock',
  ])
})

it('takes at most 9.9 KiB gzipped in one file, without the codec', async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../src/index.ts', import.meta.url))],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    external: ['@packs/codec', '@packs/codec/*'],
    write: false,
  })
  expect(gzipSync(outputFiles[0]!.contents).length).toBeLessThanOrEqual(10_137)
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
