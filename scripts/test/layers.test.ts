import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { describe, expect, it } from 'vitest'

/** Which packages of the workspace a package may depend on in any way (docs/architecture.md, the one direction). */
const ARROWS: ReadonlyMap<string, readonly string[]> = new Map([
  ['codec', []],
  ['files', ['codec']],
  ['client', ['codec', 'files', 'search']],
  ['theme', ['codec']],
  ['ai-sdk', ['client', 'codec']],
  ['eval', ['codec', 'files']],
  ['search', ['codec']],
  ['mcp', ['client', 'codec']],
  ['threads', []],
  ['catalog', ['codec', 'search', 'threads']],
  ['publisher', ['catalog', 'codec', 'threads']],
  ['api', ['catalog', 'codec', 'search', 'threads']],
  ['web', ['catalog', 'codec', 'search', 'theme', 'threads']],
  ['server', ['api', 'catalog', 'client', 'codec', 'files', 'mcp', 'publisher', 'search', 'threads', 'web']],
  ['cli', ['client', 'codec', 'eval', 'files', 'mcp', 'search', 'server', 'theme', 'threads']],
])

/** Leaves outside of the cli, by their folder. All other packages and folders are core. */
const LEAF_FOLDERS: Readonly<Record<string, string>> = {
  'packages/ai-sdk/src': 'ai-sdk',
  'packages/eval/src': 'eval',
  'packages/mcp/src': 'mcp',
  'packages/server/src/mcp': 'mcp',
  'packages/web/src': 'web',
}

/** Every folder of the cli, and every file of its commands. */
const CLI: Readonly<Record<string, string>> = {
  'build-run': 'core',
  'commands/build.ts': 'core',
  'commands/check.ts': 'core',
  'commands/command-table.ts': 'core',
  'commands/decode.ts': 'core',
  'commands/diff.ts': 'diff',
  'commands/export.ts': 'skill',
  'commands/init.ts': 'core',
  'commands/inspect.ts': 'core',
  'commands/links.ts': 'core',
  'commands/context.ts': 'mcp',
  'commands/mcp.ts': 'mcp',
  'commands/pins': 'pins',
  'commands/preview.ts': 'core',
  'commands/prompt.ts': 'core',
  'commands/search.ts': 'mcp',
  'commands/signers.ts': 'core',
  config: 'core',
  diff: 'diff',
  docs: 'mcp',
  eval: 'eval',
  input: 'core',
  inspect: 'core',
  lock: 'core',
  output: 'core',
  pins: 'pins',
  prompt: 'core',
  publish: 'core',
  report: 'report',
  server: 'core',
  signers: 'core',
  'user-cache': 'core',
}

/** The only files of the core that reach leaves, and those only by `import()`. Their types may be named there. */
const ENTRY_FILES: readonly string[] = [
  'packages/cli/src/build-run/run-build.ts',
  'packages/cli/src/commands/check.ts',
  'packages/cli/src/commands/command-table.ts',
  'packages/server/src/serve/compose-server.ts',
]

/** An import, an export of another file's, or a call of `import()`, with what it names. */
const IMPORT =
  /(?:\bimport\s*\(\s*|^(?:import|export)\b[^'();=]*?\bfrom\s*|^import\s+)'((?:\.|@packs\/)[^']*)'/gm

/** All but the private one, which only tests import. */
const packages = readdirSync('packages').filter((name) => name !== 'test-kit')

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
  it('installs no package of the workspace but those below it that are no server', () => {
    const { dependencies, peerDependenciesMeta } = readManifest('cli')
    expect(Object.keys(dependencies ?? {}).filter((name) => name.startsWith('@packs/'))).toEqual([
      '@packs/client',
      '@packs/codec',
      '@packs/files',
      '@packs/mcp',
      '@packs/search',
      '@packs/theme',
      '@packs/threads',
    ])
    expect(peerDependenciesMeta).toEqual({
      '@packs/eval': { optional: true },
      '@packs/server': { optional: true },
    })
  })
})

describe('the codec', () => {
  it('loads no dependency and no Node module from its root entry', async () => {
    expect(externalImports(await bundle('./packages/codec/src/index.ts'))).toEqual([])
  })

  it.each(['compress', 'internal', 'pack', 'sections'])('loads no Node module from %s', async (entry) => {
    const found = externalImports(await bundle(`./packages/codec/src/${entry}.ts`))
    expect(found.filter((path) => path.startsWith('node:') || builtinModules.includes(path))).toEqual([])
  })

  it.each([
    ['compress', []],
    ['internal', ['@noble/hashes/sha2.js']],
    ['pack', ['@noble/hashes/sha2.js', 'any-ascii', 'smol-toml', 'yaml', 'zod']],
    ['sections', ['@noble/hashes/sha2.js']],
  ])(
    'loads the compressor and ranks from %s on demand, and at once only its own',
    async (entry, expected) => {
      const path = `packages/codec/src/${entry}.ts`
      const imports = staticImports(await bundle(`./${path}`), path)
      const loaded = imports.filter(
        (found) => !found.startsWith('packages/') || found.endsWith('compress/compress.ts'),
      )
      expect(loaded.toSorted()).toEqual(expected)
    },
  )
})

const imports = packages.flatMap((name) => readImports(`packages/${name}/src`))

describe('core and leaves', () => {
  it('place every folder and command of the cli', () => {
    const names = [...listNames('packages/cli/src'), ...listNames('packages/cli/src/commands', 'commands/')]
    expect(names.filter((name) => name !== 'commands').toSorted()).toEqual(Object.keys(CLI).toSorted())
    expect(Object.keys(LEAF_FOLDERS).filter((folder) => !existsSync(folder))).toEqual([])
  })

  it('are left only by `import()` in the named files', () => {
    const reached = imports.filter(({ from, to }) => findLeaf(from) === 'core' && findLeaf(to) !== 'core')
    const wrong = reached.filter(({ from, kind }) => kind === 'import' || !ENTRY_FILES.includes(from))
    expect(wrong).toEqual([])
    const loaded = reached.filter(({ kind }) => kind === 'import()')
    expect([...new Set(loaded.map(({ from }) => from))].toSorted()).toEqual(ENTRY_FILES)
  })

  it('keep a leaf from every other leaf', () => {
    const wrong = imports.filter(
      ({ from, to }) => findLeaf(from) !== 'core' && ![findLeaf(from), 'core'].includes(findLeaf(to)),
    )
    expect(wrong).toEqual([])
  })

  it('use public entries of other packages', () => {
    const wrong = imports.filter(
      ({ from, to }) => !to.startsWith('@') && findPackage(from) !== findPackage(to),
    )
    expect(wrong).toEqual([])
  })
})

it('no source imports what tests share', () => {
  const imports = [...packages.map((name) => `packages/${name}/src`), 'examples', 'scripts'].flatMap(
    readImports,
  )
  const wrong = imports.filter(
    ({ from, to }) => to.includes('test-kit/') && !/\/test\/|open-test-run/.test(from),
  )
  expect(wrong).toEqual([])
})

it('scripts import no benchmark', () => {
  expect(readImports('scripts').filter(({ to }) => to.startsWith('bench/'))).toEqual([])
})

interface Import {
  readonly from: string
  readonly to: string
  readonly kind: 'import' | 'import()' | 'import type'
}

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

/** Files and dependencies that are loaded together with an entry. */
function staticImports({ inputs }: Metafile, entry: string): string[] {
  const paths = new Set([entry])
  for (const path of paths)
    for (const { kind, path: imported } of inputs[path]?.imports ?? [])
      if (kind === 'import-statement') paths.add(imported)
  return [...paths]
}

/** Returns the leaf that a file or a package belongs to, or `core`. */
function findLeaf(path: string): string {
  const inside = path.replace(/^@packs\/([a-z-]+).*/, 'packages/$1/src/index.ts')
  const folder = Object.keys(LEAF_FOLDERS).find((leaf) => inside.startsWith(`${leaf}/`))
  if (folder !== undefined) return LEAF_FOLDERS[folder]!
  const [first = '', second] = inside.startsWith('packages/cli/src/') ? inside.split('/').slice(3) : []
  return CLI[first === 'commands' ? `${first}/${second}` : first] ?? 'core'
}

function findPackage(path: string): string {
  return path.split('/')[1]!
}

/** Folders of the cli, or the files and folders of its commands. */
function listNames(folder: string, before = ''): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => before !== '' || entry.isDirectory())
    .map(({ name }) => before + name)
}

/** Reads what the files below a folder import, of the workspace. */
function readImports(folder: string): Import[] {
  // What git knows: other tests make programs in examples at the same time.
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', folder])
  const paths = listed.toString().split('\0')
  return paths.flatMap((from) => {
    if (!from.endsWith('.ts') || !existsSync(from)) return []
    const text = readFileSync(from, 'utf8').replaceAll(/^ *\*.*$/gm, '')
    return [...text.matchAll(IMPORT)].map(({ 0: statement, 1: given = '' }): Import => {
      const to = given.startsWith('.') ? join(dirname(from), given) : given
      const names = /\{([^}]*)\}/.exec(statement)?.[1]?.split(',') ?? ['']
      const isType = names.every((name) => /^\s*(?:type\s|$)/.test(name)) && names.join('').trim() !== ''
      if (/^import\s*\(/.test(statement)) return { from, to, kind: 'import()' }
      return {
        from,
        to,
        kind: isType || /^(?:im|ex)port\s+type\b/.test(statement) ? 'import type' : 'import',
      }
    })
  })
}
