import { existsSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { Fault } from '../../files-error.ts'
import { NOT_IN_PACK_HINT, type Position } from '../../diagnostic.ts'
import { createIgnoreRules, type IgnoreRules } from '../../inputs/ignore-rules.ts'
import { findRepository, resolveLinks } from '../../inputs/search-bounds.ts'
import { findIncludes, type Include, createIncludeReader, takePart } from './read-included.ts'

/** A text whose includes are resolved. */
export interface ResolvedText {
  readonly text: string
  /** These includes are not replaced, nor is anything after too many of them. */
  readonly faults: readonly Fault[]
  /** Includes of what does not exist, which are left as they are. */
  readonly missing: readonly MissingInclude[]
  readonly count: number
  /** Absolute paths that includes name, whether they exist or not. */
  readonly paths: readonly string[]
  /** Returns the line of the file that a line of the text is from; both count from 1. */
  readonly findLine: (line: number) => number
}

interface MissingInclude extends Position {
  readonly tool: Include['tool']
  readonly message: string
  /** Whether the file belongs to a site of this tool: then the include is not an example. */
  readonly isSite: boolean
}

/** Files inside each other, without the source itself. */
const MAX_DEPTH = 10
const MAX_INCLUDES = 1000
/** Faults and missing includes of a source that are reported. */
const MAX_REPORTED = 50
/** Files that show what a site is made with. */
const SITE_FILES = { mdBook: 'book.toml', VitePress: '.vitepress' } as const

interface IncludeFile {
  readonly path: string
  readonly parent?: IncludeFile
}

/** Marks an error that already says in which included file it is. */
const NESTED = Symbol('nested')

class IncludeLimitError extends Error {}

/**
 * Replaces includes of mdBook and VitePress as these tools do; `rustdoc_include` gives the lines
 * that readers see. Only files inside the repository, or without one inside `folder`, are read.
 */
export function resolveIncludes(
  source: string,
  path: string,
  folder: string,
  findRules: (root: string) => IgnoreRules = createIgnoreRules,
): ResolvedText {
  const top = { path: join(resolveLinks(dirname(path)), basename(path)) }
  const start = dirname(top.path)
  const root = findRepository(start) ?? resolveLinks(folder)
  const reader = createIncludeReader(root, findRules(root), findSite(start, root, 'VitePress'))
  const faults: Fault[] = []
  const missing: MissingInclude[] = []
  const lines: LineShift[] = []
  let attempts = 0
  let count = 0

  /**
   * Undefined if it is not to be replaced.
   * @throws Error whose message is for the user
   */
  function read(include: Include, file: IncludeFile, place: Position): string | undefined {
    if (++attempts > MAX_INCLUDES)
      throw new IncludeLimitError(`there are more than ${MAX_INCLUDES} includes in it and what it includes`)
    const found = reader.read(include, dirname(file.path))
    const part = found && takePart(found.text, include)
    if (found === undefined || part === undefined) {
      const reason =
        found === undefined ? 'does not exist' : `has no part ${JSON.stringify(include.part.name)}`
      const message = `${describe(include, file)}: the file ${reason}`
      missing.push({ ...place, tool: include.tool, message, isSite: isSite(include.tool) })
      return undefined
    }
    const chain = listChain(file)
    if (chain.includes(found.path)) {
      const names = [...chain.slice(chain.indexOf(found.path)), found.path].map((name) =>
        relative(root, name),
      )
      throw new Error(`the includes form a cycle: ${names.join(' includes ')}`)
    }
    if (chain.length > MAX_DEPTH)
      throw new Error(`more than ${MAX_DEPTH} files are included inside each other`)
    count++
    return expand(part, { path: found.path, parent: file }, place)
  }

  function expand(text: string, file: IncludeFile, place?: Position): string {
    const pieces: string[] = []
    const locate = createLocator(text)
    let end = 0
    for (const include of findIncludes(text)) {
      const own = locate(include.start)
      const at = place ?? own
      let part: string | undefined
      try {
        part = read(include, file, at)
      } catch (error) {
        const isLimit = error instanceof IncludeLimitError
        // An error in an included file is reported at the include in the source.
        if (place !== undefined) throw isLimit ? error : nestError(error as Error, include, file)
        const message = `${include.text} cannot be resolved: ${(error as Error).message}`
        faults.push({ ...at, message, hint: isLimit ? 'split the source' : NOT_IN_PACK_HINT })
        if (isLimit || faults.length === MAX_REPORTED) break
      }
      if (part === undefined) continue
      const start = include.start - own.column + 1
      const inserted = end > start ? part : indent(part, text.slice(start, include.start))
      if (place === undefined) lines.push({ line: at.line, added: inserted.split('\n').length - 1 })
      pieces.push(text.slice(end, include.start), inserted)
      end = include.end
    }
    return [...pieces, text.slice(end)].join('')
  }

  const isSite = (tool: Include['tool']): boolean => findSite(start, root, tool) !== undefined
  const describe = ({ text }: Include, { path: at }: IncludeFile): string =>
    at === top.path ? text : `${text} in ${relative(root, at)}`
  const nestError = (cause: Error, include: Include, file: IncludeFile): Error =>
    cause.cause === NESTED
      ? cause
      : new Error(`in ${relative(root, file.path)}, ${include.text}: ${cause.message}`, { cause: NESTED })

  const text = expand(source, top)
  return { text, faults, missing, count, paths: reader.paths(), findLine: (line) => findLine(lines, line) }
}

function listChain({ path, parent }: IncludeFile): string[] {
  return [...(parent === undefined ? [] : listChain(parent)), path]
}

/** Returns the nearest folder, up to the root, that has the settings of a tool. */
function findSite(folder: string, root: string, tool: Include['tool']): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, SITE_FILES[tool]))) return at
    if (at === root || at === dirname(at)) return undefined
  }
}

/** Repeats the list or quote prefix of an include's line before each further line. */
function indent(part: string, before: string): string {
  return !/^[ \t>]{1,80}$/.test(before) ? part : part.replaceAll('\n', `\n${before}`)
}

/** An include in a line of the file, and the lines that it adds to the text. */
interface LineShift {
  readonly line: number
  readonly added: number
}

function findLine(shifts: readonly LineShift[], line: number): number {
  let added = 0
  for (const shift of shifts) {
    if (line <= shift.line + added) break
    if (line <= shift.line + added + shift.added) return shift.line
    added += shift.added
  }
  return line - added
}

/** Returns a function that gives the places of rising offsets. */
function createLocator(text: string): (offset: number) => Position {
  let [line, start] = [1, 0]
  return (offset) => {
    for (let next = text.indexOf('\n', start); next >= 0 && next < offset; next = text.indexOf('\n', start)) {
      line++
      start = next + 1
    }
    return { line, column: offset - start + 1 }
  }
}
