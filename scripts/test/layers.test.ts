import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { build, type Metafile } from 'esbuild'
import { describe, expect, it } from 'vitest'

/** Which packages of the workspace a package may depend on (docs/architecture.md, the one direction). */
const ARROWS: ReadonlyMap<string, readonly string[]> = new Map([
  ['codec', []],
  ['catalog', ['codec']],
  ['publisher', ['catalog', 'codec']],
  ['api', ['catalog', 'codec']],
  ['web', ['catalog', 'codec']],
  ['server', ['api', 'catalog', 'codec', 'publisher', 'web']],
  ['cli', ['codec']],
])

const packages = readdirSync('packages')

describe.each(packages)('package %s', (name) => {
  it('depends only on packages below it', () => {
    const manifest = JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8')) as {
      dependencies?: Record<string, string>
    }
    const used = Object.keys(manifest.dependencies ?? {})
      .filter((dependency) => dependency.startsWith('@packs/'))
      .map((dependency) => dependency.slice('@packs/'.length))
    const allowed = ARROWS.get(name)
    expect(allowed, `packages/${name} has no place in the table of arrows`).toBeDefined()
    expect(used.filter((dependency) => !allowed?.includes(dependency))).toEqual([])
  })
})

describe('the codec', () => {
  it('loads no dependency and no Node module from its root entry', async () => {
    expect(externalImports(await bundle('./packages/codec/src/index.ts'))).toEqual([])
  })

  it.each(['compress', 'pack', 'pack-builder', 'preview', 'source', 'tokens'])(
    'loads no Node module from its subpath %s',
    async (subpath) => {
      const imports = externalImports(await bundle(`./packages/codec/src/${subpath}/index.ts`))
      expect(imports.filter((path) => path.startsWith('node:') || builtinModules.includes(path))).toEqual([])
    },
  )
})

async function bundle(entry: string): Promise<Metafile> {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  })
  return result.metafile
}

function externalImports(metafile: Metafile): string[] {
  const paths = Object.values(metafile.inputs)
    .flatMap((input) => input.imports)
    .filter((imported) => imported.external === true)
    .map((imported) => imported.path)
  return [...new Set(paths)].sort()
}
