import type { PackSummary } from '@packs/catalog'

/** Fields that the program assumes if an author does not state them. */
type AssumedField = 'domain' | 'subdomain' | 'difficulty'

/** What the program assumes, for packs that do not record it. */
const ASSUMED: Readonly<Record<AssumedField, string>> = {
  domain: 'General',
  subdomain: 'General',
  difficulty: 'intermediate',
}

/**
 * Returns a value that the author of a pack stated, or `undefined` if the program assumed it: pages
 * show only what somebody wrote.
 */
export function statedField(
  pack: Partial<Pick<PackSummary, AssumedField | 'assumed'>>,
  name: AssumedField,
): string | undefined {
  const isAssumed = pack.assumed?.includes(name) ?? pack[name] === ASSUMED[name]
  return isAssumed ? undefined : pack[name]
}
