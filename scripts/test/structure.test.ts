import { readdirSync, readFileSync } from 'node:fs'
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
  /(?:^|\/)(?:index|main|processor|[a-z-]+-worker)\.ts$|\/migrations\/steps\/\d{4}-|\/commands\/|\/generated\/|\/lint\/rules\//

/**
 * What the project may have at most. Whoever needs more raises a number in a commit of its own that says for what, with the
 * date and the reason here; whoever makes something smaller lowers it.
 */
const BUDGET: Readonly<Record<string, { limit: number; raised: string; reason: string }>> = {
  'lines of source': {
    limit: 81_450,
    raised: '2026-11-28',
    reason:
      'pages: Use, versions and their changes, `/prompt`, `/try`, search results, discovery, examples in `/docs`; figures of versions; `@packs/eval` (3,700) and evaluations of versions, from the command to the pages; passages within a budget, in the search, the API, the client, MCP and `pack context`; tools without a framework; chunks for embeddings; texts of sections; stored indexes of files',
  },
  'source files': {
    limit: 670,
    raised: '2026-11-28',
    reason:
      'pages of packs, prompts, discovery; `@packs/eval`; evaluations of versions; passages within a budget; tools without a framework; chunks for embeddings; texts of sections; stored indexes of files',
  },
  'entry points': {
    limit: 33,
    raised: '2026-11-28',
    reason:
      '`@packs/eval`; `@packs/client/chunks`, which loads the tokenizer and markdown that the client does not need; `@packs/mcp/memory-source`, with which `pack context` does not load the MCP SDK',
  },
  'options of commands': {
    limit: 193,
    raised: '2026-11-28',
    reason:
      'those of `pack eval`, and `pack publish --eval`; those of `pack context`; `--no-cache` of `pack context` and `pack search`',
  },
  'variables of the environment': {
    limit: 15,
    raised: '2026-11-28',
    reason: '`PACK_CONTACT`, whom visitors ask for Pro; `PACK_EVAL_KEY`; else what there was',
  },
  'places that start a thread or a process': {
    limit: 2,
    raised: '2026-11-23',
    reason: 'threads and the process of the renderer',
  },
  'words of the README': { limit: 1000, raised: '2026-11-23', reason: 'a page that is read to its end' },
  'words of the longest guide': { limit: 1500, raised: '2026-11-24', reason: 'one task on a page' },
  'dependencies of ai-sdk': {
    limit: 0,
    raised: '2026-11-23',
    reason: 'its peer is the AI SDK of the program',
  },
  'dependencies of api': { limit: 3, raised: '2026-11-23', reason: 'HTTP, schemas, a cache' },
  'dependencies of catalog': {
    limit: 5,
    raised: '2026-11-23',
    reason: 'two databases, queries, schemas, a cache',
  },
  'dependencies of cli': {
    limit: 11,
    raised: '2026-11-23',
    reason: 'files, globs, configuration, JSON with places',
  },
  'dependencies of client': { limit: 0, raised: '2026-11-23', reason: 'it runs wherever fetch is' },
  'dependencies of codec': {
    limit: 6,
    raised: '2026-11-23',
    reason: 'front matter, tokens, hashes, schemas',
  },
  'dependencies of eval': {
    limit: 5,
    raised: '2026-11-28',
    reason: 'models through the AI SDK and any OpenAI-compatible endpoint, YAML, schemas, options',
  },
  'dependencies of mcp': { limit: 1, raised: '2026-11-23', reason: 'the protocol' },
  'dependencies of publisher': { limit: 6, raised: '2026-11-23', reason: 'a queue, outlines' },
  'dependencies of search': { limit: 1, raised: '2026-11-23', reason: 'stems' },
  'dependencies of server': {
    limit: 7,
    raised: '2026-11-23',
    reason: 'HTTP, a log, metrics, the board of the queue',
  },
  'dependencies of theme': { limit: 0, raised: '2026-11-28', reason: 'strings' },
  'dependencies of threads': { limit: 0, raised: '2026-11-28', reason: 'Node alone' },
  'dependencies of web': {
    limit: 15,
    raised: '2026-11-28',
    reason: 'sign-in, mail, rendering; highlighted code; differences of versions',
  },
}

/** Small files with one importer that are read by themselves, each with the reason. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ['packages/cli/src/config/parse-config.ts', 'loaded only for a configuration in JSON'],
  ['packages/codec/src/source/assume-fields.ts', 'parse-text.ts would pass 250 lines'],
  ['packages/codec/src/source/read-text.ts', 'parse-text.ts would pass 250 lines'],
  ['packages/codec/src/source/front-matter/check-glossary.ts', 'read-front-matter.ts would pass 250 lines'],
  ['packages/codec/src/source/front-matter/resolve-keys.ts', 'read-front-matter.ts would pass 250 lines'],
])
const MAX_EXCEPTIONS = 10

/** Names of the variables that operators and authors set; those of the processes of jobs begin with `PACKS_`. */
const VARIABLE =
  /\b(?:PACK_(?:[A-Z]+_)*(?:URL|KEY|HTTP|SECONDS|DEBUG|TOKEN|NAME|SECRET|FROM|CONTACT)|DATABASE_URL|REDIS_URL)\b/g

type Command = Parameters<CommandModule['configure']>[0]
const { Command } = createRequire(resolve('packages/cli/package.json'))('commander') as {
  Command: new (name: string) => Command
}

interface SourceFile {
  readonly path: string
  readonly lines: number
  readonly imports: readonly string[]
}

const packages = readdirSync('packages')
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

describe('the budget', () => {
  it('is kept', async () => {
    const exceeded = (await measureProject()).filter(([name, count]) => !(count <= BUDGET[name]!.limit))
    expect(exceeded).toEqual([])
  })

  it('has a number for everything that is measured, and nothing else', async () => {
    expect((await measureProject()).map(([name]) => name).sort()).toEqual(Object.keys(BUDGET).sort())
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
const REFERENCES: ReadonlySet<string> = new Set(['architecture.md', 'errors.md', 'schemes.md', 'security.md'])

function countWords(path: string): number {
  return readFileSync(path, 'utf8')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}

async function measureProject(): Promise<[string, number][]> {
  const files = [...sources.values()].flat()
  const texts = files.map(({ path }) => readFileSync(path, 'utf8'))
  const manifests = packages.map((name) => readManifest(`packages/${name}/package.json`))
  const guides = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.md') && !REFERENCES.has(name),
  )
  return [
    ['lines of source', files.reduce((sum, { lines }) => sum + lines, 0)],
    ['source files', files.length],
    ['entry points', manifests.reduce((sum, { exports }) => sum + countEntries(exports), 0)],
    ['options of commands', await countOptions()],
    ['variables of the environment', new Set(texts.flatMap((text) => text.match(VARIABLE) ?? [])).size],
    ['places that start a thread or a process', texts.reduce((sum, text) => sum + countStarts(text), 0)],
    ['words of the README', countWords('README.md')],
    ['words of the longest guide', Math.max(...guides.map((name) => countWords(`docs/${name}`)))],
    ...packages.map((name, index): [string, number] => [
      `dependencies of ${name}`,
      Object.keys(manifests[index]!.dependencies ?? {}).filter(
        (dependency) => !dependency.startsWith('@packs/'),
      ).length,
    ]),
  ]
}

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest
}

/** Entries that run code: not the manifest and not a JSON schema. */
function countEntries(exports: Manifest['exports']): number {
  return Object.keys(exports).filter((entry) => !entry.endsWith('.json')).length
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
    .filter((path) => path.endsWith('.ts'))
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
