import { CliError } from '../cli-error.ts'
import { callWorker, crashedResult, isSmallBuild, startWorker } from './build-all.ts'
import type { BuildRequest, SharedBuild, SharedHeader } from './build-source.ts'
import type { BuildResult, Domain } from '../output/build-result.ts'

/** The header of a domain, and what it is good for. */
export interface SharedRosetta {
  /** Name of the domain in addresses. */
  readonly domain: string
  readonly rosetta: string
  readonly entries: number
  readonly rosettaTokens: number
  /** Slugs of the packs that share it, in the order given. */
  readonly packs: readonly string[]
  readonly loads: readonly Load[]
  readonly paysFrom: number | null
}

/** All results, those of the domain built with one header, and that header if there is one. */
export interface SharedResults {
  readonly results: readonly BuildResult[]
  readonly shared: SharedRosetta | null
}

/**
 * Builds the packs of a domain, named either way, again, with one header.
 *
 * @param built the results of `requests`, each built apart: what sharing is compared with
 * @throws CliError `unknown_domain` where none of them is of the domain
 */
export async function shareRosetta(
  domain: string,
  requests: readonly BuildRequest[],
  built: readonly BuildResult[],
): Promise<SharedResults> {
  const places = [...built.keys()].filter((at) => isInDomain(domain, built[at]?.domain))
  if (places.length === 0) {
    const known = listDomains(built)
    if (known.length === 0) return { results: built, shared: null }
    throw new CliError(
      'unknown_domain',
      `no source is of the domain ${JSON.stringify(domain)}`,
      `the domains here are ${known.join(', ')}`,
    )
  }
  const { results, header } = await buildWithHeader(places.map((at) => requests[at]!))
  const all = [...built]
  for (const [place, at] of places.entries()) all[at] = results[place]!
  if (header === null) return { results: all, shared: null }
  const apart = places.map((at) => built[at]!)
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

/** A thread serves signals and progress meanwhile, where it takes long. */
async function buildWithHeader(requests: readonly BuildRequest[]): Promise<SharedBuild> {
  if (isSmallBuild(requests)) {
    const { buildShared } = await import('./build-source.ts')
    return buildShared(requests)
  }
  const worker = startWorker()
  try {
    return await callWorker<SharedBuild>(worker, requests)
  } catch (error) {
    return { results: requests.map((request) => crashedResult(request, error, 'report this')), header: null }
  } finally {
    await worker.terminate()
  }
}

function summarizeHeader(
  domain: string,
  { rosetta, entries, rosettaTokens, members, headerTokens }: SharedHeader,
  apart: readonly BuildResult[],
  results: readonly BuildResult[],
): SharedRosetta {
  const loaded = members.flatMap((at, place) => {
    const own = apart[at]!.pack
    if (own === null) return []
    const paid = own.token_count + own.rosetta_tokens
    const content = results[at]!.pack!.token_count
    return [{ source: own.uncompressed_estimate, apart: paid, content, header: headerTokens[place]! }]
  })
  const loads = loaded.length === members.length ? sumLoads(loaded) : []
  const packs = members.map((at) => results[at]!.pack!.slug)
  return { domain, rosetta, entries, rosettaTokens, packs, loads, paysFrom: findBreakEven(loads) }
}

/** Tokens of the first packs of a domain, loaded together: as sources, built apart, and with one header. */
export interface Load {
  readonly packs: number
  readonly source: number
  /** Contents, each with its own header. */
  readonly apart: number
  /** Contents, and once the header that they need. */
  readonly shared: number
}

/** Tokens of a pack built both ways. `header` is what it and all packs before it need once. */
export interface LoadedPack {
  readonly source: number
  readonly apart: number
  readonly content: number
  readonly header: number
}

/** Sums up what the first pack takes, the first two, and so on. */
export function sumLoads(packs: readonly LoadedPack[]): Load[] {
  let [source, apart, content] = [0, 0, 0]
  return packs.map((pack, place) => {
    source += pack.source
    apart += pack.apart
    content += pack.content
    return { packs: place + 1, source, apart, shared: content + pack.header }
  })
}

/** From how many packs on one header takes fewer tokens than headers of their own; null where it does not with all. */
export function findBreakEven(loads: readonly Load[]): number | null {
  const behind = loads.findLast(({ apart, shared }) => shared >= apart)?.packs ?? 0
  return behind < loads.length ? behind + 1 : null
}
