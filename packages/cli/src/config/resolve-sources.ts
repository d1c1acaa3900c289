import ignore from 'ignore'
import { relative, resolve, sep } from 'node:path'
import type { SourceDefaults } from '@packs/codec/pack'
import { CliError, usageError, fileError } from '../cli-error.ts'
import { ignoresCase, type IgnoreRules } from '../input/ignore-rules.ts'
import { loadPicomatch } from '../input/search-bounds.ts'
import { type Diagnostic, errorDiagnostic, formatLeftOut, type LeftOut } from '../output/diagnostic.ts'
import type { SourceOptions } from '../input/options.ts'
import { addSlugs, assignSlugs } from './assign-slugs.ts'
import { createSiteFinder } from './find-site.ts'
import { createJudge } from './judge-page.ts'
import type { LoadedConfig } from './load-config.ts'
import type { ByGlob, GlossaryEntry, PacksConfig } from './packs-config.ts'
import { findRegularFile } from '@packs/client/node'
import { splitFrontMatter } from '@packs/codec/internal'
import { resolveText } from '../input/includes/resolve-text.ts'
import { MAX_SOURCE_BYTES } from '../input/read-bounded.ts'
import {
  type FoundFile,
  type FoundFiles,
  findFiles,
  type SkippedFile,
  type FindOptions,
} from '../input/search-inputs.ts'

/** A search and the configuration that is applied to what it finds. */
export interface ConfiguredSearch extends SourceSearch {
  readonly config?: LoadedConfig
  /** The search finds all sources that the configuration applies to. */
  readonly isWhole?: boolean
}

/** Inputs of the command line replace those of the configuration. The default is this folder. */
export function createSourceSearch(
  inputs: readonly string[],
  { ext = [], stdinName, drafts = false, now }: SourceOptions,
  cwd: string,
  folder: string,
  loaded: LoadedConfig | undefined,
): ConfiguredSearch {
  const settings = loaded?.config ?? {}
  const isConfigured = inputs.length === 0 && settings.sources !== undefined
  if (stdinName === '') throw usageError('--stdin-name is empty', 'name a path, such as docs/page.mdx')
  if (stdinName !== undefined && !inputs.includes('-'))
    throw usageError('--stdin-name needs - among the inputs', 'add -, or omit --stdin-name')
  return {
    inputs: isConfigured ? settings.sources : inputs.length === 0 ? ['.'] : inputs,
    cwd,
    folder,
    extensions: [...(settings.extensions ?? []), ...ext],
    ...(isConfigured && { base: loaded!.folder }),
    ...(settings.ignore && { ignore: { folder: loaded!.folder, patterns: settings.ignore } }),
    ...(stdinName !== undefined && { stdinPath: resolve(cwd, stdinName) }),
    drafts,
    ...optional('now', now),
    ...(loaded && { config: loaded }),
    ...optional('frontMatterMap', settings.frontMatter?.map),
    isWhole: isConfigured || (inputs.length === 0 && cwd === loaded?.folder),
  }
}

/** Finds the sources of a command, each with defaults that its front matter overrides. */
export async function resolveSources(search: ConfiguredSearch): Promise<FoundFiles> {
  const { config, base, cwd, inputs, isWhole } = search
  const configure = createConfigurer(config, cwd)
  const { files, skipped, failures, messages, leftOut } = await findSources(search, configure)
  const found = { files: files.map(configure), skipped: skipped.map(configure), leftOut }
  if (config === undefined) return { ...found, failures, messages }
  // A glob may match files that could not be read.
  const unused = isWhole && failures.length === 0 ? findUnusedGlobs(config, files) : []
  // Without a base, the inputs are from the command line.
  const named =
    base === undefined ? failures : failures.map((error) => nameConfig(error, inputs, config.shown))
  return { ...found, failures: named, messages: [...messages, ...unused] }
}

/** A user who named no inputs must be told that a wrong one comes from the configuration. */
function nameConfig(error: CliError, inputs: readonly string[], config: string): CliError {
  const { code, message, file } = error
  if (code !== 'file_not_found' || file === undefined || !inputs.includes(file)) return error
  return new CliError(code, message, `correct "sources" in ${config}`, { file, cause: error })
}

function findUnusedGlobs(
  { config, folder, shown }: LoadedConfig,
  files: readonly FoundFile[],
): readonly Diagnostic[] {
  const names = files.map(({ path }) => nameSource(folder, path))
  return (['domain', 'subdomain', 'difficulty'] as const).flatMap((key) => {
    const { [key]: values = {} } = config
    const globs = typeof values === 'string' ? [] : Object.keys(values)
    const unused = globs.filter((glob) => !names.some(createMatcher(glob)))
    const hint = 'correct or remove it; globs start at the folder of the configuration'
    return unused.map((glob) =>
      errorDiagnostic(
        shown,
        'unused-glob',
        `${key}: ${JSON.stringify(glob)} fits no source`,
        hint,
        'warning',
      ),
    )
  })
}

function nameSource(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/')
}

/** Adds what a configuration and the site set for a source. Its own values take precedence. */
export function createConfigurer(
  loaded: LoadedConfig | undefined,
  cwd: string,
): <File extends FoundFile>(file: File) => File {
  const { config = {}, folder = cwd, prepare } = loaded ?? {}
  const same = pickSame(config)
  const domain = createChooser(config.domain)
  const subdomain = createChooser(config.subdomain)
  const difficulty = createChooser(config.difficulty)
  const dialect = createChooser(config.dialect)
  const findSite = createSiteFinder()
  return (file) => {
    const path = file.stdinPath ?? file.path
    const name = path === '-' ? undefined : nameSource(folder, path)
    const { includeFolder = cwd, slugPath = '' } = file
    const from = slugPath === '' ? folder : path.slice(0, -slugPath.length)
    const page = name === undefined ? undefined : findSite(path, [folder, cwd, includeFolder], from)
    const dialects = [dialect(name) ?? config.minify?.dialect ?? page?.dialects ?? []].flat()
    const { off = [] } = config.minify ?? {}
    const minify = {
      ...optional('dialect', dialects.length === 0 ? undefined : dialects),
      ...optional('off', off.length === 0 ? undefined : off),
    }
    const defaults: SourceDefaults = {
      ...same,
      ...optional('domain', domain(name)),
      ...optional('subdomain', subdomain(name)),
      ...optional('difficulty', difficulty(name)),
      ...optional('minify', Object.keys(minify).length === 0 ? undefined : minify),
      ...optional('url', config.base_url === undefined ? undefined : page?.locate(config.base_url)),
      ...file.defaults,
    }
    const isConfigured = loaded !== undefined && name?.startsWith('../') === false
    return {
      ...file,
      ...(Object.keys(defaults).length > 0 && { defaults }),
      ...optional('site', page),
      ...(file.includeFolder !== undefined && isConfigured && { includeFolder: folder }),
      ...(prepare && { prepare: (text: string) => prepare({ path: name ?? file.shown, text }) }),
    }
  }
}

function pickSame({ scheme, budget, worthHeader, glossary = [], frontMatter }: PacksConfig): SourceDefaults {
  return {
    ...optional('compression', scheme),
    ...optional('budget', budget),
    ...optional('worthHeader', worthHeader),
    ...optional('glossary', glossary.length === 0 ? undefined : glossary.map(toRule)),
    ...optional('frontMatterMap', frontMatter?.map),
  }
}

function toRule({ expansion, term, never }: GlossaryEntry): NonNullable<SourceDefaults['glossary']>[number] {
  return { expansion, ...optional('term', term), ...optional('never', never) }
}

/** The last glob that matches counts. */
function createChooser<T extends string | readonly string[]>(
  values: ByGlob<T> | undefined,
): (name: string | undefined) => T | undefined {
  if (typeof values !== 'object' || Array.isArray(values)) return () => values as T | undefined
  const choices = Object.entries(values as Record<string, T>).map(([glob, value]) => ({
    matches: createMatcher(glob),
    value,
  }))
  return (name) => (name === undefined ? undefined : choices.findLast(({ matches }) => matches(name))?.value)
}

/** A pattern without wildcards names a file, or a folder with everything in it. */
function createMatcher(glob: string): (name: string) => boolean {
  const plain = glob.replace(/^\.\//, '').replace(/\/$/, '')
  if (plain === '.') return () => true
  const picomatch = loadPicomatch()
  if (!picomatch.scan(plain).isGlob) return (name) => name === plain || name.startsWith(`${plain}/`)
  return picomatch(plain, { dot: true })
}

function optional<K extends string, T>(key: K, value: T | undefined): { readonly [P in K]?: T } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: T }
}

interface SourceSearch extends Pick<FindOptions, 'cwd' | 'base' | 'stdinPath'> {
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
    leavesOutLinks: true,
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

function packInputError({ shown }: { readonly shown: string }): CliError {
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
): CliError {
  const shown = inputs.join(', ')
  if (skipped > 0) {
    const message = `all markdown in ${shown === '.' ? 'this folder' : shown} is drafts, unlisted pages, partials or pages without text${note === undefined ? '' : ` (${note})`}`
    return new CliError(
      'no_sources',
      message,
      'take drafts and the like with --drafts, or name a file directly',
    )
  }
  const left = formatLeftOut(leftOut)
  return new CliError(
    'no_sources',
    `no markdown in ${shown === '.' ? 'this folder' : shown}${left === undefined ? '' : ` (${left})`}`,
    leftOut.length > 0
      ? 'name files directly, or take other extensions with --ext, such as --ext .txt'
      : 'name files ending in .md, .markdown or .mdx, or run `pack init` to create one',
  )
}
