import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

/** Most source files directly in a folder. */
const MAX_FILES = 15
/** A file with fewer lines and a single importer belongs into that importer. */
const MIN_LINES = 40
/** Files that are entered by other means than an import, or whose number the folder is a list of. */
const ENTRIES =
  /(?:^|\/)(?:index|main|processor|[a-z-]+-worker)\.ts$|\/migrations\/\d{4}-|\/commands\/|\/generated\/|\/lint\/rules\//

/** Small files with one importer that are read by themselves, each with the reason. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([])

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
    const importers = new Map<string, number>()
    for (const { imports } of files)
      for (const path of imports) importers.set(path, (importers.get(path) ?? 0) + 1)
    const small = files.filter(
      ({ path, lines }) => lines < MIN_LINES && importers.get(path) === 1 && !ENTRIES.test(path),
    )
    expect(small.map(({ path }) => path).filter((path) => !EXCEPTIONS.has(path))).toEqual([])
  })
})

it('names only files that are still exceptions', () => {
  const paths = new Set([...sources.values()].flat().map(({ path }) => path))
  expect([...EXCEPTIONS.keys()].filter((path) => !paths.has(path))).toEqual([])
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
