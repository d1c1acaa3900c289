import { parsePackName, parseRange } from '@packs/codec/verify'
import { ApiError } from '../../errors/api-error.ts'
import type { FoundPack } from '../../response-cache/cached-catalog.ts'
import type { RouteContext } from '../api-route.ts'
import { packNotFoundError } from '../send-version.ts'

/** Versions that an error lists. */
const MAX_LISTED = 20

/** The versions of a prompt, or the error for the first name without one. */
export type PromptPacks =
  | { readonly found: readonly FoundPack[]; readonly notFoundError?: never }
  | { readonly found?: never; readonly notFoundError: ApiError }

/**
 * Finds the versions that names of packs mean: without a range the latest one, else the newest in the range that is not
 * yanked. A single version may be yanked, as in its path.
 *
 * @param names valid for `parsePackName`
 */
export async function findPromptPacks(
  context: Pick<RouteContext, 'catalog' | 'finder' | 'readSequence'>,
  names: readonly string[],
): Promise<PromptPacks> {
  const sequence = await context.readSequence()
  const found: FoundPack[] = []
  for (const name of names) {
    const { pack, range } = parsePackName(name)
    const version = await findPack(context, pack, range, sequence)
    if (version === undefined) return { notFoundError: await findError(context, pack, range) }
    found.push(version)
  }
  return { found }
}

function findPack(
  { finder }: Pick<RouteContext, 'finder'>,
  pack: string,
  range: string | undefined,
  sequence: number,
): Promise<FoundPack | undefined> {
  if (range === undefined) return finder.findLatest(pack, sequence)
  const { exact } = parseRange(range)
  return exact === undefined
    ? finder.findRange(pack, range, sequence)
    : finder.findVersion(pack, exact, sequence)
}

async function findError(
  { catalog }: Pick<RouteContext, 'catalog'>,
  pack: string,
  range: string | undefined,
): Promise<ApiError> {
  const history = await catalog.packs.versions(pack)
  if (history.length === 0 || range === undefined) return packNotFoundError(pack)
  const listed = history
    .slice(0, MAX_LISTED)
    .map(({ version, yanked }) => (yanked ? `${version} (yanked)` : version))
  const more = history.length > MAX_LISTED ? ` and ${history.length - MAX_LISTED} older ones` : ''
  const detail = `${pack} has no version ${range}: it has ${listed.join(', ')}${more}`
  return new ApiError('version_not_found', detail)
}
