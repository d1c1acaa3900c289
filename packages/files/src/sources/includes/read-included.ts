import { realpathSync } from 'node:fs'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { readRegularFile } from '../../safe-files.ts'
import type { IgnoreRules } from '../../inputs/ignore-rules.ts'
import { splitFrontMatter, findHeadings, readInlineText, scanLines, isCodeKind } from '@packs/codec/internal'

interface IncludeReader {
  /**
   * @returns undefined if there is no such file
   * @throws Error whose message says why the file is not read
   */
  read(include: Include, folder: string): { readonly path: string; readonly text: string } | undefined
  /** Returns all paths that were named, whether they exist or not. */
  paths(): readonly string[]
}

/** Limits of one file and of all for one source, in bytes. A file counts each time. */
const MAX_FILE = 4 * 1024 * 1024
const MAX_TOTAL = 64 * 1024 * 1024

/**
 * Refuses files outside the root, links out of it, hidden and ignored files.
 * @param site folder of the site that `@` of VitePress is in; the folder of its pages may be below
 */
export function createIncludeReader(
  root: string,
  isIgnored: IgnoreRules,
  site: string | undefined,
): IncludeReader {
  const texts = new Map<string, string>()
  const named = new Set<string>()
  let total = 0

  function readText(path: string): string {
    const { data } = readRegularFile(path, MAX_FILE, true)
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(data)
    } catch {
      throw new Error('the file is not UTF-8 text')
    }
  }

  return {
    read({ path: written }, folder) {
      for (const path of listCandidates(written, folder, site ?? root)) {
        const reason = findFault(path, root)
        if (reason !== undefined) throw new Error(reason)
        named.add(path)
        const real = findReal(path)
        if (real === undefined) continue
        if (real !== path) throw new Error('the file is reached through a symbolic link')
        if (isIgnored(path, false)) throw new Error('the file is ignored (.gitignore or .packignore)')
        try {
          const text = texts.get(path) ?? readText(path)
          texts.set(path, text)
          total += text.length
          if (total > MAX_TOTAL)
            throw new Error(`what it includes is larger than ${MAX_TOTAL / 1024 / 1024} MiB`)
          return { path, text }
        } catch (error) {
          throw describeReadError(error as NodeJS.ErrnoException)
        }
      }
      return undefined
    },
    paths: () => [...named],
  }
}

/** `@` is the folder of a site's pages: the first one above the page that has the file. */
function listCandidates(written: string, folder: string, top: string): string[] {
  if (!written.startsWith('@')) return [resolve(folder, written)]
  const rest = written.slice(1).replace(/^[\\/]/, '')
  const parts = relative(top, folder).split(sep)
  return [top, ...parts.map((_, at) => join(top, ...parts.slice(0, at + 1)))].map((base) => join(base, rest))
}

function findFault(path: string, root: string): string | undefined {
  const parts = relative(root, path)
  if (isAbsolute(parts) || parts.split(sep)[0] === '..') return `the file is outside of ${root}`
  if (parts.split(sep).some((part) => part.startsWith('.'))) return 'the file or its folder is hidden'
  return undefined
}

const MISSING = new Set<string | undefined>(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'])

/** Returns a path without links; undefined if nothing is there. */
function findReal(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch (error) {
    if (MISSING.has((error as NodeJS.ErrnoException).code)) return undefined
    throw describeReadError(error as NodeJS.ErrnoException)
  }
}

function describeReadError(error: NodeJS.ErrnoException): Error {
  const reasons: Readonly<Record<string, string>> = {
    too_large: `the file is larger than ${MAX_FILE / 1024 / 1024} MiB`,
    not_a_file: 'it is a pipe or a device, not a file',
    EISDIR: 'it is a folder, not a file',
    ELOOP: 'the file is reached through a symbolic link',
    EACCES: 'the file cannot be read: permission denied',
  }
  return error.code === undefined ? error : new Error(reasons[error.code] ?? error.message, { cause: error })
}

/** An include of mdBook or VitePress in a text, in UTF-16 offsets. */
export interface Include {
  readonly start: number
  readonly end: number
  readonly tool: 'mdBook' | 'VitePress'
  readonly text: string
  /** Path as it is written; `@/` of VitePress stands for the folder of the site's pages. */
  readonly path: string
  readonly part: IncludedPart
}

/** What is taken of a file: lines from 1, the lines between two markers, or all. */
interface IncludedPart {
  readonly from?: number
  readonly to?: number
  /** An anchor of mdBook, or a region or heading of VitePress. */
  readonly name?: string
  /** Whether all parts between anchors of this name are taken, and not only the first. */
  readonly isEach?: boolean
  /** Language line of the code block that is put around it. */
  readonly fence?: string
}

const OPENING = /<!--[ \t]{0,8}@include:|\{\{[ \t]{0,8}#(include|rustdoc_include|playground|playpen)[ \t]/g
const MAX_LENGTH = 4096

/**
 * Finds the includes of a text, even in code: both tools replace them before they parse markdown.
 * @see https://rust-lang.github.io/mdBook/format/mdbook.html
 * @see https://vitepress.dev/guide/markdown#markdown-file-inclusion
 */
export function findIncludes(text: string): Include[] {
  const found: Include[] = []
  for (const { 0: opening, 1: kind, index } of text.matchAll(OPENING)) {
    if (index < (found.at(-1)?.end ?? 0)) continue
    const closing = kind === undefined ? '-->' : '}}'
    const argument = index + opening.length
    const length = text.slice(argument, argument + MAX_LENGTH).indexOf(closing)
    const written = text.slice(argument, argument + length).trim()
    // A backslash before an mdBook include prevents the include.
    if (length < 0 || written === '' || /[\r\n]/.test(written)) continue
    if (kind !== undefined && text[index - 1] === '\\') continue
    const end = argument + length + closing.length
    const parsed = kind === undefined ? parseVitePress(written) : parseMdBook(kind, written)
    found.push({ start: index, end, text: text.slice(index, end), ...parsed })
  }
  return found
}

type ParsedInclude = Pick<Include, 'tool' | 'path' | 'part'>

/**
 * `file`, `file:2`, `file:2:`, `file::10`, `file:2:10` or `file:anchor`; `playground` adds words.
 */
function parseMdBook(kind: string, written: string): ParsedInclude {
  const tool = 'mdBook'
  const [argument = '', ...words] = written.split(/\s+/)
  if (kind === 'playground' || kind === 'playpen') {
    return { tool, path: argument, part: { fence: ['rust', ...words].join(',') } }
  }
  const [path = '', first = '', second] = argument.split(':')
  if (first !== '' && !/^\d+$/.test(first))
    return { tool, path, part: { name: first, isEach: kind === 'rustdoc_include' } }
  const from = first === '' ? undefined : Math.max(1, Number(first))
  const to = second === undefined ? from : /^\d+$/.test(second) ? Number(second) : undefined
  return { tool, path, part: { ...(from !== undefined && { from }), ...(to !== undefined && { to }) } }
}

/** `file`, `file{2,}`, `file{,10}`, `file{2,10}`, `file#region` or `file#region{2,10}`. */
function parseVitePress(written: string): ParsedInclude {
  const range = /\{(\d*),(\d*)\}$/.exec(written)
  const rest = range === null ? written : written.slice(0, range.index)
  const hash = rest.lastIndexOf('#')
  const hasName = hash >= 0 && /^[^\s{/\\]+$/.test(rest.slice(hash + 1))
  const [, from = '', to = ''] = range ?? []
  const part = {
    ...(from !== '' && { from: Number(from) }),
    ...(to !== '' && { to: Number(to) }),
    ...(hasName && { name: rest.slice(hash + 1) }),
  }
  // A leading slash also means the folder of the page.
  return { tool: 'VitePress', path: (hasName ? rest.slice(0, hash) : rest).replace(/^\/+/, ''), part }
}

/** Undefined if the file has no such anchor, region or heading. */
export function takePart(text: string, { tool, path, part }: Include): string | undefined {
  return tool === 'mdBook' ? takeMdBook(text, part) : takeVitePress(text, path, part)
}

const ANCHOR = /ANCHOR(_END)?:[ \t]{0,80}([\w-]+)/

/** Lines of mdBook end in `\n`, whatever the file has, and the last one has no end. */
function takeMdBook(text: string, { name, isEach, fence, ...range }: IncludedPart): string | undefined {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/)
  if (fence !== undefined) return ['```' + fence, ...lines, '```'].join('\n')
  if (name === undefined) return takeRange(lines, range).join('\n')
  const taken: string[] = []
  let parts = 0
  let isInside = false
  for (const line of lines) {
    const [marker, end, found] = ANCHOR.exec(line) ?? []
    const isOwn = found === name && (end !== undefined) === isInside
    if (isOwn && !isInside) parts++
    if (isOwn && isInside && isEach !== true) break
    if (isOwn) isInside = !isInside
    // Lines with anchors of other includes do not belong to the listing.
    else if (isInside && marker === undefined) taken.push(line)
  }
  return parts === 0 ? undefined : taken.join('\n')
}

function takeRange(lines: readonly string[], { from = 1, to }: IncludedPart): readonly string[] {
  return lines.slice(from - 1, to)
}

/** Lines of front matter count only in a range without a region. */
function takeVitePress(text: string, path: string, { name, from, to }: IncludedPart): string | undefined {
  const hasRange = from !== undefined || to !== undefined
  const isPage = /\.md$/i.test(path) && (name !== undefined || !hasRange)
  const lines = (isPage ? text.slice(splitFrontMatter(text).bodyStart) : text).split('\n')
  const found = name === undefined ? lines : (findRegions(lines, name) ?? findSection(lines, name))
  if (found === undefined) return undefined
  return takeRange(found, { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }).join('\n')
}

/** `// #region name`, `<!-- #endregion name -->` or `# region name`, but not a key `region:`. */
const REGION =
  /^\s{0,80}(?:\/\/|\/\*|<!--|--|::|%|;|#|rem\b)[ \t]{0,8}#?[ \t]{0,8}(?:pragma[ \t]{1,8})?(end ?)?region\b(?:[ \t:]{1,8}([\w.*-]+))?/i

/** Returns the lines of all regions of a name; undefined if there are none. */
function findRegions(lines: readonly string[], name: string): readonly string[] | undefined {
  const found: string[] = []
  let isFound = false
  let depth = 0
  for (const line of lines) {
    const [marker, end, named] = REGION.exec(line) ?? []
    if (depth === 0) {
      if (marker === undefined || end !== undefined || named !== name) continue
      isFound = true
      depth = 1
      continue
    }
    if (marker !== undefined) {
      if (end === undefined) depth++
      else depth = named === name ? 0 : depth - 1
    }
    if (depth > 0) found.push(line)
  }
  return isFound ? found : undefined
}

/** The section ends at the next heading of its level or a higher one. */
function findSection(lines: readonly string[], id: string): readonly string[] | undefined {
  const headings = [...findHeadings(scanLines(lines.join('\n'), { frontMatter: false }))]
  const at = headings.findIndex(({ text }) => findId(text) === id)
  const heading = headings[at]
  if (heading === undefined) return undefined
  const next = headings.slice(at + 1).find(({ level }) => level <= heading.level)
  return lines.slice(heading.lastLine + 1, next?.line)
}

/** Returns the id that the heading has, or else the one that VitePress makes of it. */
function findId(heading: string): string {
  const [, own] = /\{#([^\s{}]{1,200})\}[ \t]{0,80}$/.exec(heading) ?? []
  return own ?? slugify(readInlineText(heading))
}

function slugify(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036F\u0000-\u001f]/g, '')
    .replace(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/g, '-')
    .replace(/^-|-$/g, '')
    .replace(/^(\d)/, '_$1')
    .toLowerCase()
}

/** Removes the lines of code blocks. */
export function removeCode(text: string): string {
  const { kinds, count } = scanLines(text, { frontMatter: true })
  const lines = text.split('\n')
  return Array.from({ length: count }, (_, at) => (isCodeKind(kinds[at]!) ? '' : lines[at])).join('\n')
}
