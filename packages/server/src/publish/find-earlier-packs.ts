import { hash } from 'node:crypto'
import type { Catalog, PackHead } from '@packs/catalog'
import type { CommandRule } from '../command-error.ts'
import type { Diagnostic, FoundSources, Host } from '../host.ts'
import { loadFile, type SourceRequest } from './read-requests.ts'

/**
 * Finds sources that the catalog has under another slug: one derived from the file name, if the
 * file is now published from a folder, or one derived from its path in a folder, if the file now
 * has the slug of its name. Returns a warning for each, keyed by the source's name in messages.
 *
 * @throws CatalogError
 */
export async function findEarlierPacks(
  catalog: Catalog,
  sources: readonly SourceRequest[],
): Promise<ReadonlyMap<string, Diagnostic>> {
  return new Map([...(await findNamedPacks(catalog, sources)), ...(await findFolderPacks(catalog, sources))])
}

/**
 * Finds packs whose slug was derived from a file name, by an earlier release or because the file
 * was named directly.
 */
async function findNamedPacks(
  catalog: Catalog,
  sources: readonly SourceRequest[],
): Promise<ReadonlyMap<string, Diagnostic>> {
  const { readSource } = await import('@packs/publisher')
  const published = new Set(sources.map(({ request }) => request.source.slug))
  const candidates = sources.flatMap(({ shown, request: { source, file } }): Candidate[] => {
    if (source.defaults?.slug === undefined) return []
    const { slug: _slug, ...defaults } = file.defaults ?? {}
    const nameSlug = readSource({ ...file, defaults }).source.slug
    return published.has(nameSlug) ? [] : [{ shown, file, slug: source.slug, nameSlug }]
  })
  const warnings = new Map<string, Diagnostic>()
  for (const [nameSlug, group] of Map.groupBy(candidates, (candidate) => candidate.nameSlug)) {
    const head = await catalog.packs.head(nameSlug)
    if (head === undefined || head.yanked || head.provenance.given?.slug !== undefined) continue
    const ranks = group.map(({ file }) => rankOrigin(file, head))
    const best = Math.max(...ranks)
    for (const [at, { shown, slug }] of group.entries())
      if (best > 0 && ranks[at] === best) {
        const hint = `add \`slug: ${nameSlug}\` to the front matter`
        warnings.set(shown, createWarning(shown, head, "this file's name", slug, hint))
      }
  }
  return warnings
}

/** Finds packs whose slug was derived from a path, from one of the folders above the file. */
async function findFolderPacks(
  catalog: Catalog,
  sources: readonly SourceRequest[],
): Promise<ReadonlyMap<string, Diagnostic>> {
  const published = new Set(sources.map(({ request }) => request.source.slug))
  const warnings = new Map<string, Diagnostic>()
  for (const { shown, request } of sources) {
    const { source, file } = request
    if (source.defaults?.slug !== undefined || source.positions.has('slug')) continue
    for (const slug of await listPathSlugs(file.path)) {
      if (published.has(slug)) continue
      const head = await catalog.packs.head(slug)
      if (head === undefined || head.yanked || head.provenance.given?.slug !== slug) continue
      if (rankOrigin(file, head) === 0) continue
      const hint = `publish the folder, or add \`slug: ${slug}\` to the front matter`
      warnings.set(shown, createWarning(shown, head, 'a folder of this file', source.slug, hint))
      break
    }
  }
  return warnings
}

/** Folders above a file to try as the one it was published from. Each costs a query. */
const MOST_FOLDERS = 8

/** Returns the slugs that a file gets when one of the folders in its path is published. */
async function listPathSlugs(path: string): Promise<string[]> {
  const { derivePathSlug } = await import('@packs/codec/source')
  const parts = splitPath(path).slice(-MOST_FOLDERS - 1)
  const slugs = parts.map((_, at) => derivePathSlug(parts.slice(at).join('/'), parts[at - 1]))
  return [...new Set(slugs)]
}

/**
 * Finds sources that are skipped, such as drafts, although the catalog still serves versions of
 * them. Returns a warning for each.
 *
 * @throws CatalogError
 */
export async function findSkippedPacks(
  host: Host,
  catalog: Catalog,
  skipped: FoundSources['skipped'],
): Promise<readonly Diagnostic[]> {
  const { readSource } = await import('@packs/publisher')
  const warnings: Diagnostic[] = []
  for (const found of skipped) {
    const { shown, kind, defaults } = found
    // A draft may have errors; then its slug is unknown.
    const read = await loadFile(host, found)
      .then(({ file }) => readSource({ ...file, ...(defaults && { defaults }) }))
      .catch(() => undefined)
    if (read === undefined) continue
    const { slug } = read.source
    const head = await catalog.packs.head(slug)
    if (head === undefined || rankOrigin(read.file, head) === 0) continue
    const live = (await catalog.packs.versions(slug)).filter(({ yanked }) => !yanked)
    if (live.length === 0) continue
    const names = live.map(({ version }) => `${slug}@${version}`)
    const rest = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ''
    warnings.push({
      ...locate(shown),
      rule: 'skipped-source' satisfies CommandRule,
      message: `this source is skipped (${kind}), but the catalog has ${names.slice(0, MOST_NAMED).join(', ')}${rest}`,
      hint: `withdraw each version with \`pack yank ${names[0]}\`, or publish the source with --drafts`,
    })
  }
  return warnings
}

/** Maximum number of versions that a warning names. */
const MOST_NAMED = 5

interface Candidate {
  readonly shown: string
  readonly file: SourceRequest['request']['file']
  readonly slug: string
  readonly nameSlug: string
}

/**
 * Ranks how likely a version comes from a file; 0 if it does not. Equal bytes are the best sign,
 * then paths that end alike, as seen from a folder above or below; longer paths rank higher.
 */
function rankOrigin({ bytes, path }: Candidate['file'], { provenance }: PackHead): number {
  if (provenance.source_sha256 === hash('sha256', bytes)) return Number.MAX_SAFE_INTEGER
  const before = splitPath(provenance.path)
  const now = splitPath(path)
  const length = Math.min(before.length, now.length)
  return before.slice(-length).join('/') === now.slice(-length).join('/') ? length : 0
}

function splitPath(path: string): string[] {
  return path.split(/[/\\]/).filter((part) => part !== '' && part !== '.' && part !== '..')
}

/**
 * @param origin what the slug of the earlier pack was derived from
 * @param next slug being published now
 * @param advice how to keep the earlier one
 */
function createWarning(
  file: string,
  { slug, version }: PackHead,
  origin: string,
  next: string,
  advice: string,
): Diagnostic {
  return {
    ...locate(file),
    rule: 'earlier-pack' satisfies CommandRule,
    message: `the catalog already has ${slug}@${version}, named after ${origin}; this publishes ${next}`,
    hint: `to continue ${slug}, ${advice}; otherwise withdraw its versions with \`pack yank\``,
  }
}

function locate(file: string): Pick<Diagnostic, 'file' | 'line' | 'column' | 'severity'> {
  return { file, line: null, column: null, severity: 'warning' }
}
