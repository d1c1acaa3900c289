import ignore from 'ignore'
import { readdirSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { findRegularFile } from '../safe-files.ts'
import { DIALECTS, fieldLimits } from '@packs/codec/internal'
import type { Dialect } from '@packs/codec/pack'
import { findRepository, resolveLinks } from '../inputs/search-bounds.ts'
import type { SitePage } from '../inputs/find-files.ts'

/** What the files above a page say about the tool that makes a site of it. */
interface Site {
  readonly dialects: readonly Dialect[]
  /** Absolute path of the folder of the pages. */
  readonly pages: string
  /** What follows the path of a page in its URL, without extension. */
  readonly suffix: '' | '.html' | '/'
  /** Writes a folder or name of a page as its URL has it. @default as it is */
  readonly write?: (name: string) => string
  /** Whether it omits pages whose date is to come. */
  readonly isDated?: boolean
  /** The pages that it omits, as patterns of `.gitignore`. */
  readonly excluded?: readonly string[]
  /** Pages of the repository, which the tool does not read. */
  readonly others?: RegExp
  /** The only folder that it reads, if that is not its own. */
  readonly only?: string
}

interface Marker {
  /** The file or folder that such a site has. */
  readonly name: RegExp
  /** @param text what the file says; empty for a folder */
  readonly read: (folder: string, text: string, names: readonly string[]) => Site | undefined
}

const DOCUSAURUS = /^docusaurus\.config\.[cm]?[jt]s$/
const SIBLING = /^(?:website|docs-site|site)$/
const MARKERS: readonly Marker[] = [
  { name: /^\.vitepress$/, read: readVitePress },
  { name: /^\.vuepress$/, read: (pages) => ({ dialects: ['vue'], pages, suffix: '.html' }) },
  { name: DOCUSAURUS, read: readDocusaurus },
  { name: SIBLING, read: readSibling },
  { name: /^hugo\.(?:toml|ya?ml|json)$/, read: readHugo },
  { name: /^config$/, read: readHugoFolder },
  { name: /^config\.(?:toml|ya?ml|json)$/, read: readOldHugo },
  { name: /^mkdocs\.ya?ml$/, read: readMkDocs },
  { name: /^_config\.ya?ml$/, read: readJekyll },
  { name: /^book\.toml$/, read: readMdBook },
  { name: /^svelte\.config\.[cm]?[jt]s$/, read: (pages) => ({ dialects: ['svelte'], pages, suffix: '' }) },
  { name: /^\.obsidian$/, read: (pages) => ({ dialects: ['vault'], pages, suffix: '' }) },
]

function readVitePress(pages: string): Site {
  const isClean = /\bcleanUrls\s*:\s*true\b/.test(readConfig(join(pages, '.vitepress')))
  return { dialects: ['vue'], pages, suffix: isClean ? '' : '.html' }
}

/** Docusaurus reads `.md` as MDX too, unless it is told not to. */
function readDocusaurus(pages: string, text: string): Site {
  return {
    dialects: /\bformat\s*:\s*['"](?:md|detect)['"]/.test(text) ? [] : ['mdx'],
    pages,
    suffix: '',
    write: (name) => name.replace(/^\d+\s*[-_.]+\s*(?=[^\d\s])/, ''),
    others: /^(?:readme|changelog|contributing|code_of_conduct|security|license|support)\.md$/i,
  }
}

/** Docusaurus in a folder beside its pages. */
function readSibling(folder: string, _: string, names: readonly string[]): Site | undefined {
  const siblings = names.filter((name) => SIBLING.test(name))
  const texts = siblings.map((name) => readConfig(join(folder, name), DOCUSAURUS))
  const text = texts.find((one) => /(['"`])\.\.\/docs\/?\1/.test(one))
  return text === undefined ? undefined : { ...readDocusaurus(folder, text), only: join(folder, 'docs') }
}

function readHugo(folder: string, text: string): Site {
  const write = (name: string): string => name.trim().toLowerCase().replace(/\s+/g, '-')
  const isDated = !/^["']?buildFuture["']?\s*[:=]\s*true\b/im.test(text)
  return { dialects: ['hugo'], pages: join(folder, 'content'), suffix: '/', write, isDated }
}

function readHugoFolder(folder: string): Site | undefined {
  const settings = join(folder, 'config', '_default')
  const name = listNames(settings).find((one) => /^(?:hugo|config)\.(?:toml|ya?ml|json)$/.test(one))
  return name === undefined ? undefined : readHugo(folder, readText(join(settings, name)))
}

/** Other tools have such a file too. */
function readOldHugo(folder: string, text: string, names: readonly string[]): Site | undefined {
  const isHugo = /^[ \t]*["']?(?:baseURL|languageCode)["']?[ \t]*[:=]/im.test(text)
  const hasFolder = names.some((name) => name === 'archetypes' || name === 'layouts')
  return isHugo && hasFolder ? readHugo(folder, text) : undefined
}

function readMkDocs(folder: string, text: string): Site {
  const [, named = 'docs'] = /^docs_dir:(.*)$/m.exec(text) ?? []
  const pages = named.replace(/#.*|["']/g, '').trim()
  const isPlain = /^use_directory_urls:\s*false\b/m.test(text)
  const excluded = readPatterns(text, /^(?:exclude|draft)_docs:/gm)
  return { dialects: ['mkdocs'], pages: join(folder, pages), suffix: isPlain ? '.html' : '', excluded }
}

/** Hexo has such a file too; Jekyll may read another markdown than kramdown. */
function readJekyll(pages: string, text: string): Site | undefined {
  if (/^skip_render:/m.test(text)) return undefined
  const isOther = /^markdown:\s*["']?(?!kramdown)\w/im.test(text)
  const isPretty = /^permalink:\s*["']?pretty\b/m.test(text)
  const isDated = !/^future:\s*true\b/m.test(text)
  const excluded = readPatterns(text, /^exclude:/gm).map((pattern) => pattern.replace(/^\/?/, '/'))
  return { dialects: isOther ? [] : ['kramdown'], pages, suffix: isPretty ? '' : '.html', isDated, excluded }
}

/** The items of a key of YAML: a list in either form, or the lines of a text. */
function readPatterns(text: string, key: RegExp): string[] {
  return [...text.matchAll(key)].flatMap(({ 0: found, index }) => {
    const [first = '', ...rest] = text.slice(index + found.length).split(/\r?\n/)
    const end = rest.findIndex((line) => /^[^\s#-]/.test(line))
    const isInline = /^\s*[^\s|>#]/.test(first)
    const lines = isInline ? first.split(/[[\],]/) : rest.slice(0, end === -1 ? undefined : end)
    return lines.map((line) =>
      line
        .replace(/\s#.*/, '')
        .trim()
        .replace(/^- +/, '')
        .replace(/^(["'])(.*)\1$/, '$2'),
    )
  })
}

function readMdBook(folder: string, text: string): Site {
  const pages = /^src\s*=\s*["']([^"'\n]+)["']/m.exec(text)?.[1] ?? 'src'
  return { dialects: [], pages: join(folder, pages), suffix: '.html' }
}

const MAX_SETTINGS = 1024 * 1024

function readConfig(folder: string, file = /^config\.[cm]?[jt]s$/): string {
  const name = listNames(folder).find((one) => file.test(one))
  return name === undefined ? '' : readText(join(folder, name))
}

function readText(path: string): string {
  return findRegularFile(path, MAX_SETTINGS)?.data.toString() ?? ''
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted()
  } catch {
    return []
  }
}

/**
 * Creates a function that describes a page by the nearest folder above it that has the settings of
 * a tool, up to its repository, or without one up to the first of `tops` that contains it.
 * @param from folder that the path of a page without a site is relative to
 */
export function createSiteFinder(): (path: string, tops: readonly string[], from: string) => SitePage {
  const folders = new Map<string, readonly Site[]>()
  const nearest = new Map<string, Found>()
  const readSites = (folder: string): readonly Site[] => {
    const sites = folders.get(folder) ?? findSites(folder)
    folders.set(folder, sites)
    return sites
  }
  const findNearest = (start: string, tops: readonly string[]): Found => {
    const top = tops.find((one) => isBelow(start, one)) ?? start
    const root = findRepository(resolveLinks(start)) ?? resolveLinks(top)
    for (let folder = start; ; folder = dirname(folder)) {
      const sites = readSites(folder).filter(({ only = start }) => isBelow(start, only))
      if (sites.length > 0 || resolveLinks(folder) === root || folder === dirname(folder))
        return { folder, sites }
    }
  }
  return (path, tops, from) => {
    const start = dirname(path)
    const { folder, sites } = nearest.get(start) ?? findNearest(start, tops)
    nearest.set(start, { folder, sites })
    const own = sites.filter(({ others }) => start !== folder || others?.test(basename(path)) !== true)
    return {
      dialects: DIALECTS.filter((name) => own.some(({ dialects }) => dialects.includes(name))),
      isExcluded: own.some(({ pages, excluded = [] }) => {
        const name = relative(pages, path).split(sep).join('/')
        return excluded.length > 0 && ignore.isPathValid(name) && ignore().add(excluded).ignores(name)
      }),
      // Jekyll omits no other page by its date.
      isDated: own.some(
        ({ dialects, isDated }) =>
          isDated && (dialects.includes('hugo') || path.split(sep).includes('_posts')),
      ),
      locate: (base) => {
        const site = sites.length === 0 ? { dialects: [], pages: from, suffix: '' as const } : own[0]
        return site && locatePage(path, base, site)
      },
    }
  }
}

interface Found {
  readonly folder: string
  readonly sites: readonly Site[]
}

function findSites(folder: string): readonly Site[] {
  const names = listNames(folder)
  return MARKERS.flatMap(({ name, read }) => {
    const found = names.find((one) => name.test(one))
    return found === undefined ? [] : (read(folder, readText(join(folder, found)), names) ?? [])
  })
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** `index` and `README` are the pages of their folders, as an empty name. */
const INDEX = /^(?:_?index|readme)$/i

function locatePage(path: string, base: string, { pages, suffix, write }: Site): string | undefined {
  const parts = relative(pages, path).split(sep)
  const name = parts.pop()!.replace(/(?<=.)\.[^.]+$/, '')
  const isIndex = INDEX.test(name)
  // What begins with `_` is published elsewhere, as the posts of Jekyll are.
  if (parts.some((part) => part === '..' || part.startsWith('_'))) return undefined
  if (!isIndex && name.startsWith('_')) return undefined
  const written = [...parts, ...(isIndex ? [] : [name])].map((part) =>
    encodeURIComponent(write?.(part) ?? part),
  )
  const end = isIndex ? (parts.length === 0 ? '' : '/') : suffix
  const url = `${base}${base.endsWith('/') ? '' : '/'}${written.join('/')}${end}`
  return url.length <= fieldLimits.url ? url : undefined
}
