import { basename, dirname, relative, sep } from 'node:path'
import { findRegularFile } from '../safe-files.ts'
import { groupBy, addHash, derivePathSlug, loadSource, withTable } from '@packs/codec/internal'
import type { SourceDefaults } from '@packs/codec/pack'
import { MAX_SOURCE_BYTES } from '../inputs/read-bounded.ts'
import type { FoundFile } from '../inputs/find-files.ts'
import { type Diagnostic, errorDiagnostic, type LeftOut } from '../diagnostic.ts'

interface SlugOptions {
  /** Extensions of sources, which are no part of a slug. */
  readonly pattern: RegExp
  /** Folder that inputs are relative to. */
  readonly base: string
  readonly frontMatterMap?: SourceDefaults['frontMatterMap']
}

interface AssignedSlugs {
  readonly sources: readonly FoundFile[]
  readonly readmes: readonly LeftOut[]
  readonly warnings: readonly Diagnostic[]
}

/**
 * Gives each file in a folder or glob the slug of its path there, unless its name alone gives the
 * same. Where several paths give one slug, each gets the hash of its path too, with a warning.
 *
 * Separates each README whose folder also has an index, or that has the slug of an index elsewhere,
 * such as `readme.md` beside `_docs` of Jekyll: site generators use the index.
 */
export async function assignSlugs(files: readonly FoundFile[], options: SlugOptions): Promise<AssignedSlugs> {
  const { pattern } = options
  const slugs = await withTable(() => new Map(files.map((file) => [file, deriveSlug(file, pattern)])))
  const indexes = files.filter(({ path }) => /^_?index\.[^.]+$/i.test(basename(path)))
  const taken = new Set(indexes.flatMap((file) => [dirname(file.path), slugs.get(file)]))
  const isSpare = (file: FoundFile): boolean =>
    file.slugPath !== undefined &&
    /^readme\.[^.]+$/i.test(basename(file.path)) &&
    (taken.has(dirname(file.path)) || taken.has(slugs.get(file)))
  const readmes = files.filter(isSpare).map(({ shown }) => ({ shown, kind: 'README beside an index' }))
  const kept = await addSlugs(
    files.filter((file) => !isSpare(file)),
    pattern,
  )
  return { ...(await separateSlugs(kept, options)), readmes }
}

export async function addSlugs<File extends FoundFile>(
  files: readonly File[],
  pattern: RegExp,
): Promise<File[]> {
  return withTable(() =>
    files.map((file) => {
      const slug = deriveSlug(file, pattern)
      if (slug === undefined) return file
      const isNameSlug = slug.length < CUT_SLUG && slug === deriveNameSlug(file)
      return isNameSlug ? file : { ...file, defaults: { ...file.defaults, slug } }
    }),
  )
}

/** Slugs from this length on may be cut, as slugs of names alone are not. */
const CUT_SLUG = 99

/** Undefined for a file that was named directly. */
function deriveSlug({ slugPath, slugFolder }: FoundFile, pattern: RegExp): string | undefined {
  return slugPath && derivePathSlug(slugPath.replace(pattern, ''), slugFolder)
}

function deriveNameSlug({ path }: FoundFile): string {
  return derivePathSlug(basename(path), basename(dirname(path)))
}

async function separateSlugs(
  files: readonly FoundFile[],
  { base, frontMatterMap }: SlugOptions,
): Promise<Pick<AssignedSlugs, 'sources' | 'warnings'>> {
  const findSlug = (file: FoundFile): string => file.defaults?.slug ?? deriveNameSlug(file)
  const groups = await withTable(() =>
    groupBy(
      files.filter(({ path }) => path !== '-'),
      findSlug,
    ),
  )
  const changed = new Map<FoundFile, string>()
  const warnings: Diagnostic[] = []
  for (const [slug, group] of groups) {
    if (group.length === 1) continue
    const isNamed = await Promise.all(group.map((file) => hasOwnSlug(file, frontMatterMap)))
    const equal = group.filter((_, at) => !isNamed[at])
    if (equal.length < 2) continue
    const nameFrom = (file: FoundFile): string => relative(base, file.path).split(sep).join('/')
    const paths = new Set(equal.map((file) => file.slugPath ?? nameFrom(file)))
    const isUnique = paths.size === equal.length
    for (const file of equal) {
      const name = nameFrom(file)
      // The hash takes equal characters for the same, however they are composed.
      const isTwin = equal.some((one) => one !== file && nameFrom(one).normalize() === name.normalize())
      const path = isTwin ? encodeURIComponent(name) : ((isUnique ? file.slugPath : undefined) ?? name)
      changed.set(file, addHash(slug, path))
    }
    warnings.push(sharedSlugWarning(slug, equal, changed))
  }
  const separate = (file: FoundFile): FoundFile => {
    const slug = changed.get(file)
    return slug === undefined ? file : { ...file, defaults: { ...file.defaults, slug } }
  }
  return { sources: files.map(separate), warnings }
}

async function hasOwnSlug(
  { path }: FoundFile,
  frontMatterMap: SourceDefaults['frontMatterMap'],
): Promise<boolean> {
  const bytes = findRegularFile(path, MAX_SOURCE_BYTES)?.data ?? ''
  const { source } = await loadSource(bytes, {
    path,
    ...(frontMatterMap && { defaults: { frontMatterMap } }),
  })
  return source?.positions.has('slug') === true
}

const MOST_NAMED = 5

function sharedSlugWarning(
  slug: string,
  files: readonly FoundFile[],
  slugs: ReadonlyMap<FoundFile, string>,
): Diagnostic {
  const named = files.slice(0, MOST_NAMED).map((file) => `${file.shown} (${slugs.get(file)})`)
  const more = files.length > MOST_NAMED ? ` and ${files.length - MOST_NAMED} more` : ''
  return errorDiagnostic(
    files[0]!.shown,
    'shared-slug',
    `several paths give the slug "${slug}", so the hash of its path follows in each: ${named.join(', ')}${more}`,
    'to choose their slugs yourself, set `slug` in the front matter of all but one',
    'warning',
  )
}
