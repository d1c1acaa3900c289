import { relative, resolve, sep } from 'node:path'
import type { SourceDefaults } from '@packs/codec/pack'
import {
  createSiteFinder,
  type Diagnostic,
  errorDiagnostic,
  FilesError,
  findSources,
  type FoundFile,
  type FoundFiles,
  loadPicomatch,
  type SourceSearch,
} from '@packs/files'
import { usageError } from '../cli-error.ts'
import type { SourceOptions } from '../input/options.ts'
import type { LoadedConfig } from './load-config.ts'
import type { ByGlob, GlossaryEntry, PacksConfig } from './packs-config.ts'

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
    leavesOutLinks: true,
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
function nameConfig(error: FilesError, inputs: readonly string[], config: string): FilesError {
  const { code, message, file } = error
  if (code !== 'file_not_found' || file === undefined || !inputs.includes(file)) return error
  return new FilesError(code, message, `correct "sources" in ${config}`, { file, cause: error })
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
    return unused.map((glob) => {
      const message = `${key}: ${JSON.stringify(glob)} fits no source`
      return errorDiagnostic(shown, 'unused-glob', message, hint, 'warning')
    })
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
