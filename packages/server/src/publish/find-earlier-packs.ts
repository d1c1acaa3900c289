import { hash } from 'node:crypto'
import type { Catalog, PackHead } from '@packs/catalog'
import type { CommandRule } from '../command-error.ts'
import type { Diagnostic } from '../host.ts'
import type { SourceRequest } from './read-requests.ts'

/**
 * Finds sources whose slug comes from their path, while the catalog has a pack that was published from the same file under the
 * slug of its name: by an earlier version of this program, or because the file was named directly. Returns a warning for each,
 * by the name of the source in messages.
 *
 * @throws CatalogError
 */
export async function findEarlierPacks(
  catalog: Catalog,
  sources: readonly SourceRequest[],
): Promise<ReadonlyMap<string, Diagnostic>> {
  const { readSource } = await import('@packs/publisher')
  const published = new Set(sources.map(({ request }) => request.source.slug))
  const candidates = sources.flatMap(({ shown, request: { source, file } }): Candidate[] => {
    if (source.given?.slug === undefined) return []
    const { slug: _slug, ...given } = file.given ?? {}
    const nameSlug = readSource({ ...file, given }).source.slug
    return published.has(nameSlug) ? [] : [{ shown, file, slug: source.slug, nameSlug }]
  })
  const warnings = new Map<string, Diagnostic>()
  for (const [nameSlug, group] of Map.groupBy(candidates, (candidate) => candidate.nameSlug)) {
    const head = await catalog.packs.head(nameSlug)
    if (head === undefined || head.yanked || head.provenance.given?.slug !== undefined) continue
    const ranks = group.map(({ file }) => rankOrigin(file, head))
    const best = Math.max(...ranks)
    for (const [at, { shown, slug }] of group.entries())
      if (best > 0 && ranks[at] === best) warnings.set(shown, createWarning(shown, head, slug))
  }
  return warnings
}

interface Candidate {
  readonly shown: string
  readonly file: SourceRequest['request']['file']
  readonly slug: string
  /** The slug of its file name alone. */
  readonly nameSlug: string
}

/**
 * Ranks how surely a version comes from a file; 0 if it does not. The same bytes are the surest sign, then a path that is the same
 * as seen from a folder above or below, the more of it the better.
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

function createWarning(file: string, { slug, version }: PackHead, next: string): Diagnostic {
  return {
    file,
    line: null,
    column: null,
    severity: 'warning',
    rule: 'earlier-pack' satisfies CommandRule,
    message: `the catalog has ${slug}@${version}, published before from this file's name; this publishes ${next}`,
    hint: `to go on with ${slug}, write \`slug: ${slug}\` into the front matter; else withdraw its versions with \`pack yank\``,
  }
}
