import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { build, type Metafile } from 'esbuild'
import { describe, expect, it } from 'vitest'

/** Which packages of the workspace a package may depend on in any way (docs/architecture.md, the one direction). */
const ARROWS: ReadonlyMap<string, readonly string[]> = new Map([
  ['codec', []],
  ['client', ['codec']],
  ['search', ['codec']],
  ['mcp', ['client', 'codec', 'search']],
  ['catalog', ['codec', 'search']],
  ['publisher', ['catalog', 'codec']],
  ['api', ['catalog', 'codec', 'search']],
  ['web', ['catalog', 'codec', 'search']],
  ['server', ['api', 'catalog', 'client', 'codec', 'mcp', 'publisher', 'search', 'web']],
  ['cli', ['client', 'codec', 'mcp', 'search', 'server']],
])

const packages = readdirSync('packages')

describe.each(packages)('package %s', (name) => {
  it('depends only on packages below it', () => {
    const { dependencies, devDependencies, peerDependencies } = readManifest(name)
    const used = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies })
      .filter((dependency) => dependency.startsWith('@packs/'))
      .map((dependency) => dependency.slice('@packs/'.length))
    const allowed = ARROWS.get(name)
    expect(allowed, `packages/${name} has no place in the table of arrows`).toBeDefined()
    expect(used.filter((dependency) => !allowed?.includes(dependency))).toEqual([])
  })
})

describe('the cli', () => {
  it('installs no package of the workspace but the client, the codec, the mcp and the search', () => {
    const { dependencies, peerDependenciesMeta } = readManifest('cli')
    expect(Object.keys(dependencies ?? {}).filter((name) => name.startsWith('@packs/'))).toEqual([
      '@packs/client',
      '@packs/codec',
      '@packs/mcp',
      '@packs/search',
    ])
    expect(peerDependenciesMeta).toEqual({ '@packs/server': { optional: true } })
  })
})

describe('the codec', () => {
  it('loads no dependency and no Node module from its root entry', async () => {
    expect(externalImports(await bundle('./packages/codec/src/index.ts'))).toEqual([])
  })

  it.each([
    'compress',
    'markdown',
    'pack',
    'pack-builder',
    'preview',
    'prompt-composer',
    'sections',
    'source',
    'tokens',
  ])('loads no Node module from its subpath %s', async (subpath) => {
    const imports = externalImports(await bundle(`./packages/codec/src/${subpath}/index.ts`))
    expect(imports.filter((path) => path.startsWith('node:') || builtinModules.includes(path))).toEqual([])
  })

  it.each([
    ['source/derive-slug', ['@noble/hashes/sha2.js']],
    ['pack-builder/index', ['@noble/hashes/sha2.js', 'vfile-message']],
  ])('loads neither schemas nor YAML from %s', async (entry, expected) => {
    const imports = externalImports(await bundle(`./packages/codec/src/${entry}.ts`))
    expect(imports.filter((path) => !path.startsWith('gpt-tokenizer/'))).toEqual(expected)
  })

  it.each(['pack-builder', 'tokens'])(
    'loads no ranks with its subpath %s, only on demand',
    async (subpath) => {
      const metafile = await bundle(`./packages/codec/src/${subpath}/index.ts`)
      const isRanks = (path: string): boolean => path.startsWith('gpt-tokenizer')
      expect(externalImports(metafile).filter(isRanks)).not.toEqual([])
      expect(staticImports(metafile, `packages/codec/src/${subpath}/index.ts`).filter(isRanks)).toEqual([])
    },
  )

  it('loads the ranks with its subpaths whose functions do not wait', async () => {
    for (const entry of ['compress', 'prompt-composer']) {
      const path = `packages/codec/src/${entry}/index.ts`
      const imports = staticImports(await bundle(`./${path}`), path)
      expect(imports).toContain('gpt-tokenizer/bpeRanks/o200k_base')
      expect(imports).not.toContain('gpt-tokenizer/bpeRanks/cl100k_base')
    }
  })

  it.each([
    ['compress', 'compress'],
    ['composePrompt', 'prompt'],
  ])('keeps the default tokenizer of %s in a bundle without unused modules', async (name, subpath) => {
    const { metafile } = await build({
      stdin: {
        contents: `import { ${name} } from '@packs/codec/${subpath}'\nconsole.log(${name})`,
        resolveDir: '.',
      },
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      conditions: ['source'],
      external: ['gpt-tokenizer/*'],
      logLevel: 'silent',
    })
    const [output] = Object.values(metafile.outputs)
    expect(output?.inputs['packages/codec/src/tokens/o200k-base.ts']?.bytesInOutput).toBeGreaterThan(0)
  })

  it('loads Node modules from its subpath task-thread, and no other dependency', async () => {
    const imports = externalImports(await bundle('./packages/codec/src/task-thread/index.ts'))
    expect(imports).toEqual([
      'node:child_process',
      'node:events',
      'node:os',
      'node:url',
      'node:worker_threads',
    ])
  })
})

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: unknown
}

function readManifest(name: string): Manifest {
  return JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8')) as Manifest
}

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

/** Dependencies that are loaded together with an entry. */
function staticImports({ inputs }: Metafile, entry: string): string[] {
  const paths = new Set([entry])
  for (const path of paths)
    for (const { kind, path: imported } of inputs[path]?.imports ?? [])
      if (kind === 'import-statement') paths.add(imported)
  return [...paths].filter((path) => !Object.hasOwn(inputs, path))
}
