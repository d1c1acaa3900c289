import ignore from 'ignore'
import { relative, sep } from 'node:path'
import { splitFrontMatter } from '@packs/codec/internal'
import type { SourceDefaults } from '@packs/codec/pack'
import { type Diagnostic, formatLeftOut, type LeftOut } from '../diagnostic.ts'
import { fileError, FilesError } from '../files-error.ts'
import {
  findFiles,
  type FindOptions,
  type FoundFile,
  type FoundFiles,
  type SkippedFile,
} from '../inputs/find-files.ts'
import { ignoresCase, type IgnoreRules } from '../inputs/ignore-rules.ts'
import { MAX_SOURCE_BYTES } from '../inputs/read-bounded.ts'
import { findRegularFile } from '../safe-files.ts'
import { addSlugs, assignSlugs } from './assign-slugs.ts'
import { resolveText } from './includes/resolve-text.ts'
import { createJudge } from './judge-page.ts'

export interface SourceSearch extends Pick<FindOptions, 'cwd' | 'base' | 'stdinPath' | 'leavesOutLinks'> {
  readonly inputs: readonly string[]
  /** Absolute path of the output folder, which is not searched; `-` for stdout. */
  readonly folder: string
  /** Extensions besides `.md`, `.markdown` and `.mdx`. */
  readonly extensions?: readonly string[]
  /** Patterns in the syntax of `.gitignore`, relative to a folder. */
  readonly ignore?: { readonly folder: string; readonly patterns: readonly string[] }
  /** Takes drafts, unlisted pages and partials too. */
  readonly drafts?: boolean
  readonly frontMatterMap?: SourceDefaults['frontMatterMap']
  /** The time by which dates of pages are judged, if not that of the commit or the clock. */
  readonly now?: Date
  /** Receives the bytes of files that the search reads, by their paths. */
  readonly read?: Map<string, Uint8Array>
}

const EXTENSIONS = ['md', 'markdown', 'mdx']

/**
 * Files get slugs as `assignSlugs` says. Unless named directly, a README beside an index is
 * skipped, and so are pages without text and pages that readers of the site do not see: drafts,
 * unlisted pages and partials.
 * @param configure adds what may change the text of a source
 */
export async function findSources(
  search: SourceSearch,
  configure: (file: FoundFile) => FoundFile,
): Promise<FoundFiles> {
  const { inputs, cwd, base, folder, drafts = false } = search
  const extensions = [...EXTENSIONS, ...(search.extensions ?? []).map((name) => name.replace(/^\./, ''))]
  const pattern = createPattern(extensions)
  const { files, failures, leftOut, ...found } = findFiles(inputs, {
    cwd,
    ...(base !== undefined && { base }),
    ...(search.stdinPath !== undefined && { stdinPath: search.stdinPath }),
    pattern,
    skip: folder,
    skipsPartials: !drafts,
    leavesOutLinks: search.leavesOutLinks ?? false,
    ...(search.ignore && { isIgnored: createIgnored(search.ignore) }),
  })
  const pages: FoundFile[] = []
  const skipped: SkippedFile[] = [...found.skipped]
  const messages: Diagnostic[] = [...found.messages]
  const judge = createJudge(search.now, messages)
  for (const file of files) {
    if (isPack(file)) continue
    const data = file.slugPath === undefined ? undefined : findRegularFile(file.path, MAX_SOURCE_BYTES)?.data
    if (data !== undefined) search.read?.set(file.path, data)
    const configured = configure(file)
    const hidden = drafts || data === undefined ? undefined : await judge(configured, data)
    const isEmpty = hidden === undefined && data !== undefined && (await isBlankPage(configured, data))
    const kind = isEmpty ? 'page without text' : hidden
    if (kind === undefined) pages.push(file)
    else skipped.push({ ...file, kind })
  }
  const { frontMatterMap } = search
  const { sources, readmes, warnings } = await assignSlugs(pages, {
    pattern,
    base: base ?? cwd,
    ...(frontMatterMap && { frontMatterMap }),
  })
  const errors = [...failures, ...files.filter(isPack).map(packInputError)]
  if (sources.length === 0 && errors.length === 0)
    throw noSourcesError(inputs, leftOut, skipped.length, messages.at(-1)?.message)
  return {
    files: sources,
    failures: errors,
    leftOut: [...skipped, ...leftOut, ...readmes].map(({ shown, kind }) => ({ shown, kind })),
    skipped: await addSlugs(skipped, pattern),
    messages: [...messages, ...warnings],
  }
}

/** Tells whether a page has no text, even with what it includes. */
async function isBlankPage(file: FoundFile, data: Uint8Array): Promise<boolean> {
  if (!isBlank(data.toString(), file)) return false
  // A fault of an include is reported where the page is built.
  const { text } = await resolveText(file, data, false).catch(() => ({ text: '.' }))
  return text === undefined || isBlank(text, file)
}

/** Tells whether a page has nothing but front matter, comments and imports. */
function isBlank(text: string, { path, defaults }: FoundFile): boolean {
  const body = text.slice(splitFrontMatter(text).bodyStart)
  // A definition of a link shows nothing.
  let visible = body
    .replace(/<!--[^]*?(?:-->|$)/g, '')
    .replace(/^ {0,3}\[(?!\^)[^\]\r\n\u2028\u2029]+\]:.*$/gm, '')
  if (defaults?.minify?.dialect?.includes('vault')) visible = visible.replace(/%%[^]*?(?:%%|$)/g, '')
  if (/\.mdx$/i.test(path))
    visible = visible.replace(/\{\/\*[^]*?(?:\*\/\}|$)/g, '').replace(/^import\s[^\n]*$/gm, '')
  return visible.trim() === ''
}

/** Extensions consist of letters, digits, `_`, `-` and dots. */
function createPattern(extensions: readonly string[]): RegExp {
  return new RegExp(
    String.raw`\.(?:${extensions.map((name) => name.replaceAll('.', String.raw`\.`)).join('|')})$`,
    'i',
  )
}

function createIgnored({ folder, patterns }: Required<SourceSearch>['ignore']): IgnoreRules {
  const rules = ignore({ ignoreCase: ignoresCase(folder) }).add(patterns)
  return (path, isFolder) => {
    const name = relative(folder, path).split(sep).join('/')
    return name !== '' && ignore.isPathValid(name) && rules.ignores(isFolder ? `${name}/` : name)
  }
}

function isPack({ path, stdinPath = path }: FoundFile): boolean {
  return stdinPath.toLowerCase().endsWith('.pack.json')
}

function packInputError({ shown }: { readonly shown: string }): FilesError {
  return fileError(
    'not_a_source',
    shown,
    'is already a pack',
    'name its source, or run `pack decode` to get it',
  )
}

function noSourcesError(
  inputs: readonly string[],
  leftOut: readonly LeftOut[],
  skipped: number,
  note: string | undefined,
): FilesError {
  const shown = inputs.join(', ')
  if (skipped > 0) {
    const message = `all markdown in ${shown === '.' ? 'this folder' : shown} is drafts, unlisted pages, partials or pages without text${note === undefined ? '' : ` (${note})`}`
    return new FilesError(
      'no_sources',
      message,
      'take drafts and the like with --drafts, or name a file directly',
    )
  }
  const left = formatLeftOut(leftOut)
  return new FilesError(
    'no_sources',
    `no markdown in ${shown === '.' ? 'this folder' : shown}${left === undefined ? '' : ` (${left})`}`,
    leftOut.length > 0
      ? 'name files directly, or take other extensions with --ext, such as --ext .txt'
      : 'name files ending in .md, .markdown or .mdx, or run `pack init` to create one',
  )
}
