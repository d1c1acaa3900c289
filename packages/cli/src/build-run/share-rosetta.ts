import { CliError } from '../cli-error.ts'
import type { BuildResult, Domain } from '../output/build-result.ts'
import type { SharedHeader } from './build-source.ts'
import type { BuildRequest } from './read-source.ts'
import type { BuildPool } from './create-build-pool.ts'

/** The shared header of a domain, and what it saves. */
export interface SharedRosetta {
  /** Slug of the domain. */
  readonly domain: string
  readonly rosetta: string
  readonly entries: number
  readonly rosettaTokens: number
  /** Slugs of the packs that share it, in the order of the requests. */
  readonly packs: readonly string[]
  readonly loads: readonly Load[]
  /** Number of packs from which sharing takes fewer tokens, see {@link findBreakEven}. */
  readonly paysFrom: number | null
}

/** The results of all sources, those of the domain built with one header. `shared` is null if there is no header. */
export interface SharedResults {
  readonly results: readonly BuildResult[]
  readonly shared: SharedRosetta | null
}

/**
 * Builds the packs of a domain again, with one header.
 *
 * @param domain name or slug
 * @param built results of `requests`, each built with a header of its own, which sharing is compared with
 * @throws CliError `unknown_domain` if no source has this domain
 */
export async function shareRosetta(
  pool: BuildPool,
  domain: string,
  requests: readonly BuildRequest[],
  built: readonly BuildResult[],
): Promise<SharedResults> {
  const indexes = [...built.keys()].filter((at) => isInDomain(domain, built[at]?.domain))
  if (indexes.length === 0) {
    const known = listDomains(built)
    if (known.length === 0) return { results: built, shared: null }
    throw new CliError(
      'unknown_domain',
      `no source has the domain ${JSON.stringify(domain)}`,
      `the sources have these domains: ${known.join(', ')}`,
    )
  }
  const { results, header } = await pool.buildShared(indexes.map((at) => requests[at]!))
  const all = [...built]
  for (const [index, at] of indexes.entries()) all[at] = results[index]!
  if (header === null) return { results: all, shared: null }
  const apart = indexes.map((at) => built[at]!)
  return { results: all, shared: summarizeHeader(apart[0]!.domain!.slug, header, apart, results) }
}

function isInDomain(domain: string, own: Domain | undefined): boolean {
  return own !== undefined && (own.slug === domain || own.name === domain)
}

function listDomains(built: readonly BuildResult[]): string[] {
  const names = new Map<string, string>()
  for (const { domain } of built) if (domain) names.set(domain.slug, domain.name)
  return Array.from(names, ([slug, name]) => (slug === name ? slug : `${slug} (${name})`)).toSorted()
}

function summarizeHeader(
  domain: string,
  { rosetta, entries, rosettaTokens, members, headerTokens }: SharedHeader,
  apart: readonly BuildResult[],
  results: readonly BuildResult[],
): SharedRosetta {
  const loaded = members.flatMap((at, index) => {
    const own = apart[at]!.pack
    if (own === null) return []
    const paid = own.token_count + own.rosetta_tokens
    const content = results[at]!.pack!.token_count
    return [{ source: own.uncompressed_estimate, apart: paid, content, header: headerTokens[index]! }]
  })
  const loads = loaded.length === members.length ? sumLoads(loaded) : []
  const packs = members.map((at) => results[at]!.pack!.slug)
  return { domain, rosetta, entries, rosettaTokens, packs, loads, paysFrom: findBreakEven(loads) }
}

/** Tokens of the first `packs` packs of a domain when they are loaded together. */
export interface Load {
  readonly packs: number
  /** Tokens of the sources. */
  readonly source: number
  /** Tokens of the packs built separately: contents, each with its own header. */
  readonly apart: number
  /** Tokens of the packs built with one header: contents, and the header entries they need, once. */
  readonly shared: number
}

/** Tokens of one pack built both ways. `header` counts the shared entries that this pack and all before it need. */
export interface LoadedPack {
  readonly source: number
  readonly apart: number
  readonly content: number
  readonly header: number
}

/** Sums the tokens of the first pack, the first two packs, and so on. */
export function sumLoads(packs: readonly LoadedPack[]): Load[] {
  let [source, apart, content] = [0, 0, 0]
  return packs.map((pack, index) => {
    source += pack.source
    apart += pack.apart
    content += pack.content
    return { packs: index + 1, source, apart, shared: content + pack.header }
  })
}

/** Returns the number of packs from which on a shared header takes fewer tokens; null if it does not with all packs. */
export function findBreakEven(loads: readonly Load[]): number | null {
  const behind = loads.findLast(({ apart, shared }) => shared >= apart)?.packs ?? 0
  return behind < loads.length ? behind + 1 : null
}
