import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CommandModule } from '../../packages/cli/src/server/load-server.ts'
import { commandTable } from '../../packages/cli/src/commands/command-table.ts'

/** Most source files directly in a folder. */
const MAX_FILES = 15
/** A file with fewer lines and a single importer belongs into that importer, in the same folder with up to 90 lines. */
const MIN_LINES = 40
const MIN_LINES_BESIDE = 90
/** Files that are entered by other means than an import, or whose number the folder is a list of. */
const ENTRIES =
  /(?:^|\/)(?:index|main|processor|[a-z-]+-worker)\.ts$|\/migrations\/steps\/\d{4}-|\/commands\/|\/generated\//

/**
 * What the project may have at most. The numbers only fall: a change that makes something smaller lowers them, and one that needs
 * more deletes as much elsewhere in the same commit, which says what. Dependencies say what they are for.
 */
const BUDGET: Readonly<Record<string, number>> = {
  'lines of source': 73_191,
  'source files': 494,
  'lines of the longest file': 400,
  'entry points': 22,
  'exported values with semver': 52,
  'exported values for our packages': 238,
  commands: 32,
  'options of commands': 165,
  'variables of the environment': 17,
  'places that start a thread or a process': 2,
  'caches in memory': 4,
  'lines of tests': 57_188,
  'lines of benchmarks': 4_966,
  'words of prose': 59_978,
  'words of the README': 900,
  'words of the longest guide': 1_495,
  'rows of the glossary': 40,
}

/** Lines of source and dependencies that a package may have at most, and what the dependencies are for. */
const PACKAGES: Readonly<Record<string, { lines: number; dependencies: number; reason: string }>> = {
  'ai-sdk': { lines: 390, dependencies: 0, reason: 'its peer is the AI SDK of the program' },
  api: { lines: 4_865, dependencies: 3, reason: 'HTTP, schemas, a cache' },
  catalog: { lines: 9_277, dependencies: 5, reason: 'two databases, queries, schemas, a cache' },
  cli: { lines: 9_243, dependencies: 9, reason: 'files, globs, configuration, JSON with places' },
  client: { lines: 5_242, dependencies: 0, reason: 'it runs wherever fetch is' },
  codec: {
    lines: 17_871,
    dependencies: 7,
    reason: 'front matter, tokens, hashes, schemas, sounds of letters',
  },
  eval: { lines: 3_076, dependencies: 5, reason: 'models, YAML, schemas, options' },
  files: { lines: 3_175, dependencies: 3, reason: 'patterns of ignore files, globs' },
  mcp: { lines: 348, dependencies: 1, reason: 'the protocol' },
  publisher: { lines: 3_526, dependencies: 3, reason: 'a queue' },
  search: { lines: 3_583, dependencies: 1, reason: 'stems' },
  server: { lines: 4_078, dependencies: 5, reason: 'HTTP, a log, metrics' },
  theme: { lines: 474, dependencies: 0, reason: 'text alone' },
  threads: { lines: 411, dependencies: 0, reason: 'Node alone' },
  web: { lines: 7_633, dependencies: 13, reason: 'sign-in, mail, rendering' },
}

/** Small files with one importer that are read by themselves, each with the reason. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ['packages/codec/src/pack-builder/build-pack.ts', 'loads the compressor on demand'],
  ['packages/codec/src/source/load-source.ts', 'loads YAML and schemas on demand'],
])
const MAX_EXCEPTIONS = 2

/** Names of the variables that operators and authors set, without those of options; those of the processes of jobs begin with `PACKS_`. */
const VARIABLE =
  /\b(?:PACK_(?!BASE_)(?:[A-Z]+_)*(?:URL|KEY|HTTP|SECONDS|DEBUG|TOKEN|NAME|SECRET|FROM|CONTACT|LEVEL|LOG)|DATABASE_URL|REDIS_URL)\b/g

type Command = Parameters<CommandModule['configure']>[0]
const { Command } = createRequire(resolve('packages/cli/package.json'))('commander') as {
  Command: new (name: string) => Command
}

interface SourceFile {
  readonly path: string
  readonly lines: number
  readonly imports: readonly string[]
}

const packages = readdirSync('packages').filter(
  (name) => !readManifest(`packages/${name}/package.json`).private,
)
const sources = new Map(packages.map((name) => [name, readSources(`packages/${name}/src`)]))

describe.each(packages)('package %s', (name) => {
  const files = sources.get(name)!

  it(`has at most ${MAX_FILES} source files in a folder`, () => {
    const counts = new Map<string, number>()
    for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
    expect([...counts].filter(([, count]) => count > MAX_FILES)).toEqual([])
  })

  it('has no folders that import each other, directly or through others', () => {
    expect(findCycles(files)).toEqual([])
  })

  it('has no small file whose only importer is one other file', () => {
    const importers = new Map<string, string[]>()
    for (const { path, imports } of files)
      for (const target of imports) importers.set(target, [...(importers.get(target) ?? []), path])
    const isSmall = ({ path, lines }: SourceFile): boolean => {
      const [importer, ...others] = importers.get(path) ?? []
      if (importer === undefined || others.length > 0) return false
      // An index only names what a folder has.
      const isBeside = dirname(importer) === dirname(path) && !importer.endsWith('/index.ts')
      return lines < (isBeside ? MIN_LINES_BESIDE : MIN_LINES)
    }
    const small = files.filter((file) => isSmall(file) && !ENTRIES.test(file.path))
    expect(small.map(({ path }) => path).filter((path) => !EXCEPTIONS.has(path))).toEqual([])
  })
})

it('has docstrings of at most 100 columns, with each tag on a line of its own', () => {
  const wrong = [...sources.values()].flat().flatMap(({ path }) => {
    if (path.includes('/generated/')) return []
    const docstrings = readFileSync(path, 'utf8').match(/^[ \t]*\/\*\*[^]*?\*\//gm) ?? []
    // Examples and indented grammars are code.
    const lines = docstrings.flatMap((text) => text.replace(/@example[^]*/, '').split('\n'))
    const prose = lines.filter((line) => !/^ *\* {4,}\S/.test(line))
    return prose.filter((line) => line.length > 100 || /\w.* @(?:param|returns|throws)\b/.test(line))
  })
  expect(wrong).toEqual([])
})

it('names only files that are still exceptions', () => {
  const paths = new Set([...sources.values()].flat().map(({ path }) => path))
  expect([...EXCEPTIONS.keys()].filter((path) => !paths.has(path))).toEqual([])
  expect(EXCEPTIONS.size).toBeLessThanOrEqual(MAX_EXCEPTIONS)
})

it('exports each name from one entry point, and none that only its own package and tests use', async () => {
  const exported = await listExports()
  const names = exported.map(({ name }) => name)
  expect(names.filter((name, at) => names.indexOf(name) < at)).toEqual([])
  const users = new Map(names.map((name) => [name, new Set<string>()]))
  const pages = listProse().map((path) => ['pages', path])
  const programs = ['bench', 'examples', 'scripts'].flatMap((from) =>
    readSources(from).map(({ path }) => [from, path]),
  )
  const files = [...sources].flatMap(([from, list]) => list.map(({ path }) => [from, path]))
  for (const [from, path] of [...pages, ...programs, ...files])
    for (const [word] of readFileSync(path!, 'utf8').matchAll(/\w+/g)) users.get(word)?.add(from!)
  const isUsed = ({ entry, name }: Export): boolean =>
    [...users.get(name)!].some((from) => !`${entry}/`.startsWith(`@packs/${from}/`))
  expect(exported.filter((one) => !isUsed(one))).toEqual([])
})

describe('the budget', () => {
  it('is kept, and has a number for everything that is measured', async () => {
    const measured = await measureProject()
    expect(measured.filter(([name, count]) => !(count <= BUDGET[name]!))).toEqual([])
    expect(measured.map(([name]) => name).sort()).toEqual(Object.keys(BUDGET).sort())
  })

  it.each(packages)('of the package %s is kept', (name) => {
    const { lines, dependencies } = PACKAGES[name]!
    expect(sumLines(sources.get(name)!)).toBeLessThanOrEqual(lines)
    const others = Object.keys(readManifest(`packages/${name}/package.json`).dependencies ?? {}).filter(
      (dependency) => !dependency.startsWith('@packs/'),
    )
    expect(others.length).toBeLessThanOrEqual(dependencies)
  })
})

describe('findCycles', () => {
  const file = (path: string, ...imports: string[]): SourceFile => ({ path, lines: 50, imports })

  it('finds folders that import each other through a third', () => {
    const files = [
      file('a/one.ts', 'b/two.ts'),
      file('b/two.ts', 'c/three.ts'),
      file('c/three.ts', 'a/one.ts'),
    ]
    expect(findCycles(files)).toEqual(['a -> b', 'b -> c', 'c -> a'])
  })

  it('compares folders on the level where two paths part', () => {
    const files = [file('a/x/one.ts', 'a/y/two.ts'), file('a/y/two.ts', 'a/x/other.ts'), file('a/x/other.ts')]
    expect(findCycles(files)).toEqual(['a/x -> a/y', 'a/y -> a/x'])
  })

  it('takes a file beside a folder for a place of its own', () => {
    const files = [file('a/top.ts', 'a/x/one.ts'), file('a/x/one.ts', 'a/types.ts'), file('a/types.ts')]
    expect(findCycles(files)).toEqual([])
  })
})

/** Pages to look something up in, not to follow. */
const REFERENCES: ReadonlySet<string> = new Set([
  'docs/architecture.md',
  'docs/schemes.md',
  'docs/security.md',
])

function countWords(path: string): number {
  return readWords(path).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}

/** What stands between white space, as `wc -w` counts it. */
function readWords(path: string): string[] {
  return readFileSync(path, 'utf8').match(/\S+/g) ?? []
}

/** Entries that programs of others import. All others are for the packages of this repository. */
const WITH_SEMVER: ReadonlySet<string> = new Set(
  `ai-sdk cli client client/node client/passages codec codec/compress codec/pack codec/sections mcp`
    .split(' ')
    .map((entry) => `@packs/${entry}`),
)

async function measureProject(): Promise<[string, number][]> {
  const files = [...sources.values()].flat()
  const texts = files.map(({ path }) => readFileSync(path, 'utf8'))
  const manifests = packages.map((name) => readManifest(`packages/${name}/package.json`))
  const pages = listProse()
  const guides = pages.filter((path) => path.startsWith('docs/') && !REFERENCES.has(path))
  const exported = await listExports()
  return [
    ['lines of source', sumLines(files)],
    ['source files', files.length],
    ['lines of the longest file', Math.max(...files.map(({ lines }) => lines))],
    ['entry points', manifests.reduce((sum, { exports }) => sum + listEntries(exports).length, 0)],
    ['exported values with semver', exported.filter(({ entry }) => WITH_SEMVER.has(entry)).length],
    ['exported values for our packages', exported.filter(({ entry }) => !WITH_SEMVER.has(entry)).length],
    ['commands', commandTable.length],
    ['options of commands', await countOptions()],
    ['variables of the environment', new Set(texts.flatMap((text) => text.match(VARIABLE) ?? [])).size],
    ['places that start a thread or a process', texts.reduce((sum, text) => sum + countStarts(text), 0)],
    ['caches in memory', texts.reduce((sum, text) => sum + countCaches(text), 0)],
    [
      'lines of tests',
      sumLines([...packages, 'test-kit'].flatMap((name) => readSources(`packages/${name}/test`))),
    ],
    ['lines of benchmarks', sumLines(readSources('bench'))],
    ['words of prose', pages.reduce((sum, path) => sum + readWords(path).length, 0)],
    ['words of the README', countWords('README.md')],
    ['words of the longest guide', Math.max(...guides.map(countWords))],
    ['rows of the glossary', countRows('docs/glossary.md')],
  ]
}

function sumLines(files: readonly SourceFile[]): number {
  return files.reduce((sum, { lines }) => sum + lines, 0)
}

/** What people read and git knows: not the example packs, the cases of the format, or pages that a program writes. */
function listProse(): string[] {
  // Git's list, not the folders: other tests make files in them at the same time.
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'])
  const skipped =
    /(?:^|\/)(?:fixtures|test|\.github)\/|^examples\/packs\/|^bench\/reading\/.+\/|^bench\/results\/|^docs\/errors\.md$/
  const paths = listed.toString().split('\0')
  return paths.filter((path) => path !== '' && !skipped.test(path) && existsSync(path))
}

function countRows(path: string): number {
  const rows = readFileSync(path, 'utf8').match(/^\|.*\|$/gm) ?? []
  // Each table has a line of names and a line of dashes.
  return rows.length - 2 * rows.filter((row) => /^[|\s:-]+$/.test(row)).length
}

function countCaches(text: string): number {
  return [...text.matchAll(/\bnew LRUCache\b|\breturn createMemoryCache\(/g)].length
}

interface Export {
  readonly entry: string
  readonly name: string
}

/** The values that entry points export: what remains of their exports when types are gone. */
async function listExports(): Promise<Export[]> {
  const entries = packages.flatMap((name) => {
    const { exports } = readManifest(`packages/${name}/package.json`)
    return listEntries(exports).map((entry) => ({ name, entry, ...(exports[entry] as { source: string }) }))
  })
  const lists = entries.map(async ({ name, entry, source }) => {
    const values = (await import(resolve('packages', name, source))) as object
    return Object.keys(values).map((value) => ({ entry: join('@packs', name, entry), name: value }))
  })
  return (await Promise.all(lists)).flat()
}

interface Manifest {
  readonly private?: boolean
  readonly exports: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest
}

/** Entries that run code: not the manifest and not a JSON schema. */
function listEntries(exports: Manifest['exports']): string[] {
  return Object.keys(exports).filter((entry) => !entry.endsWith('.json'))
}

/** Options that the commands declare by themselves: not `--json` and `--help`, which every command has. */
async function countOptions(): Promise<number> {
  let count = 0
  for (const { name, load } of commandTable) {
    const command = new Command(name)
    const { configure } = await load()
    configure(command)
    const commands = command.commands.length > 0 ? command.commands : [command]
    for (const { options } of commands) count += options.length
  }
  return count
}

/** Calls that start a thread or a child process of Node. The queue starts the processes of jobs by itself. */
function countStarts(text: string): number {
  const imported =
    /import \{[^}]*\b(?:Worker|fork)\b[^}]*\} from 'node:(?:worker_threads|child_process)'/.test(text)
  return imported ? [...text.matchAll(/\bnew Worker\(|\bfork\(/g)].length : 0
}

/** Reads the source files below a folder, with the files that each imports or starts as a worker. */
function readSources(folder: string): SourceFile[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/(?:^|\/)(?:node_modules|\.packs)\//.test(path))
    .map((path) => join(folder, path))
  const known = new Set(paths.map((path) => resolve(path)))
  return paths.map((path) => {
    const text = readFileSync(path, 'utf8')
    const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1]!)
    const targets = specifiers.map((specifier) => join(dirname(path), specifier))
    const imports = [...new Set(targets)].filter((target) => known.has(resolve(target)))
    return { path, lines: text.split('\n').length - 1, imports }
  })
}

/**
 * Finds the arrows of import cycles between siblings: at each level of folders, the folders and files there are the places,
 * and an import is an arrow at the level where the two paths part.
 */
function findCycles(files: readonly SourceFile[]): string[] {
  const arrows = new Map<string, Set<string>>()
  for (const { path, imports } of files) {
    for (const target of imports) {
      const [from, to] = findSiblings(path, target)
      arrows.set(from, (arrows.get(from) ?? new Set()).add(to))
    }
  }
  return [...arrows].flatMap(([from, targets]) =>
    [...targets].filter((to) => isReachable(arrows, to, from)).map((to) => `${from} -> ${to}`),
  )
}

function findSiblings(from: string, to: string): [string, string] {
  const [a, b] = [from.split('/'), to.split('/')]
  let level = 0
  while (a[level] === b[level] && level < Math.min(a.length, b.length) - 1) level++
  return [a.slice(0, level + 1).join('/'), b.slice(0, level + 1).join('/')]
}

function isReachable(arrows: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string): boolean {
  const seen = new Set([from])
  for (const place of seen) {
    if (place === to) return true
    for (const next of arrows.get(place) ?? []) seen.add(next)
  }
  return false
}
