import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import * as codec from '../src/index.ts'

const entries = ['../src/index.ts', '../dist/index.js'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

test('the root entry exports exactly its public names', () => {
  // prettier-ignore
  expect(Object.keys(codec).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
    'CodecError', 'createAnswerDecoder', 'createDecoder', 'createLinkResolver', 'decode', 'decodeAnswer',
    'decodeStream', 'listTerms', 'parseRosetta', 'resolveLinks', 'restore', 'serializeRosetta',
  ])
})

describe.each(entries.filter((entry) => existsSync(entry)))('bundled from %s', (entry) => {
  test('import { decode } takes at most 2.15 KB gzipped', async () => {
    expect(await measure(`export { decode } from ${JSON.stringify(entry)}`)).toBeLessThanOrEqual(2150)
  })

  test('everything takes at most 6 KiB gzipped', async () => {
    expect(await measure(`export * from ${JSON.stringify(entry)}`)).toBeLessThanOrEqual(6144)
  })

  test('only its own files are loaded', async () => {
    const { metafile } = await bundle(`export * from ${JSON.stringify(entry)}`)
    const inputs = Object.keys(metafile.inputs).filter((path) => path !== '<stdin>')
    expect(
      inputs.filter(
        (path) =>
          !/^packages\/codec\/(?:src|dist)\/(?:index|errors|(?:rosetta|decode)\/[\w-]+|minify\/restore-text|links\/(?:resolve-links|link-address))\.[jt]s$/.test(
            path,
          ),
      ),
    ).toEqual([])
    expect(
      Object.values(metafile.inputs).flatMap(({ imports }) => imports.filter(({ external }) => external)),
    ).toEqual([])
  })
})

async function measure(contents: string): Promise<number> {
  const { outputFiles } = await bundle(contents)
  return gzipSync(outputFiles[0]!.contents).length
}

async function bundle(contents: string) {
  const root = fileURLToPath(new URL('../../../', import.meta.url))
  return build({
    stdin: { contents, resolveDir: root },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    treeShaking: true,
    write: false,
    metafile: true,
  })
}
