import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { LOG_LOADED } from './log-loaded.ts'
import { makeFolder, runPack } from '../../test-kit/test/run-pack.ts'

/** What takes long to load, by the paths of its modules. Threads log theirs too. */
const PARTS = {
  // Sections use the rule that says whether a header is worth its cost, and no more of it.
  compressor: /\/codec\/src\/compress\/(?!compress-error|cost\/prompt-savings|types)/,
  globs: /\/(?:tinyglobby|picomatch)\//,
  letters: /\/any-ascii\//,
  markdown: /\/codec\/src\/markdown\//,
  ranks: /\/bpeRanks\//,
  schemas: /\/zod\//,
  search: /\bpackages\/search\//,
  server: /\bpackages\/(?:api|catalog|publisher|server|web)\//,
  thread: /-worker\.[jt]s$/,
  TOML: /\/smol-toml\//,
  vocabulary: /\/codec\/src\/tokens\/vocabulary\//,
  watcher: /\/chokidar\//,
  'writing of configurations': /\/(?:jiti|momoa)\//,
  YAML: /\/yaml\//,
} as const

const BUNDLE = new URL('../dist/', import.meta.url)

/** Runs the program with a cache of its own, and lists the parts that it loads. */
async function listParts(args: readonly string[], cwd: string): Promise<string[]> {
  const env = { XDG_CACHE_HOME: `${cwd}/cache`, NODE_PATH: '' }
  const { status, stderr } = await runPack(args, { cwd, env, nodeArgs: ['--import', LOG_LOADED] })
  expect(status).toBe(0)
  const loaded = (stderr.match(/(?<=^loaded )file:.+$/gm) ?? []).flatMap(listModules)
  expect(loaded).toContain('packages/cli/src/program.ts')
  const parts = Object.entries(PARTS).filter(([, pattern]) => loaded.some((url) => pattern.test(url)))
  return parts.map(([part]) => part).toSorted(byName)
}

/** Lists the modules in a file of the bundle, each of which has a line with its path. Any other file is a module itself. */
function listModules(url: string): string[] {
  const isBundled = url.startsWith(BUNDLE.href)
  return isBundled ? (readFileSync(new URL(url), 'utf8').match(/(?<=^\/\/ )\S+\.[a-z]+$/gm) ?? []) : [url]
}

function byName(a: string, b: string): number {
  return a.toLowerCase() < b.toLowerCase() ? -1 : 1
}

const PACK = '{"content":"ML","rosetta":"[DECODE] ML=machine learning"}'

describe('start-up', () => {
  it.each([[['--version']], [['--help']], [['decode', 'a.pack.json']], [['init', 'sub']]])(
    'loads none of the slow parts for %j',
    async (args) => {
      expect(await listParts(args, makeFolder({ 'a.pack.json': PACK }))).toEqual([])
    },
  )

  it('loads for a build only what its source needs', async () => {
    const cwd = makeFolder({ 'a.md': '# A title\n', 'b.md': '---\ntitle: B\n---\n# B\n' })
    const needed = ['compressor', 'markdown', 'vocabulary']
    // The first run stores the vocabulary.
    expect(await listParts(['build', 'a.md'], cwd)).toEqual(['compressor', 'markdown', 'ranks', 'vocabulary'])
    expect(await listParts(['build', 'a.md', '--no-cache'], cwd)).toEqual(needed)
    expect(await listParts(['build', 'a.md'], cwd)).toEqual([])
    const parsers = ['schemas', 'TOML', 'YAML']
    expect(await listParts(['build', 'b.md'], cwd)).toEqual([...needed, ...parsers].toSorted(byName))
    expect(await listParts(['build', 'a.md', 'b.md', '--no-cache'], cwd)).not.toContain('thread')
    expect(await listParts(['check', 'dist'], cwd)).not.toContain('ranks')
    expect(await listParts(['prompt', 'dist/a.pack.json'], cwd)).not.toContain('ranks')
    expect(await listParts(['search', 'nothing'], cwd)).toEqual([
      'markdown',
      'schemas',
      'search',
      'vocabulary',
    ])
  })

  it('finds the other slow parts where they are needed', async () => {
    const cwd = makeFolder({
      'a.md': `# A title\n\n${'It is too long for the main thread. '.repeat(2000)}\n`,
      'packs.config.json': '{ "sources": ["*.md"] }',
    })
    const parts = await listParts(['build', '--no-cache'], cwd)
    expect(parts).toEqual(expect.arrayContaining(['globs', 'thread', 'writing of configurations']))
    expect(await listParts(['help', 'serve'], cwd)).toContain('server')
    // A build that watches does not end.
    const modules = readdirSync(BUNDLE).flatMap((name) =>
      name.endsWith('.js') ? listModules(BUNDLE.href + name) : [],
    )
    expect(modules.filter((path) => PARTS.watcher.test(path))).not.toEqual([])
  })
})
