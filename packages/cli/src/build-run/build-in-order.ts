import { setImmediate } from 'node:timers/promises'
import type { BuildResult } from '../output/build-result.ts'
import type { BuildCache } from './cache/open-build-cache.ts'
import type { BuildPool } from './create-build-pool.ts'
import type { BuildRequest } from './read-source.ts'
import { groupBySlug, type SlugUses } from './validate-results.ts'

/** What builds sources. */
export interface BuildMeans {
  readonly pool: BuildPool
  /** Absent with `--no-cache`. */
  readonly cache: BuildCache | undefined
}

/** Called as a build goes on. */
export interface BuildObserver {
  /** Called once, with the sources that must be built because the cache has no sound entry. */
  onMissing?(requests: readonly BuildRequest[]): void
  /** Called with each source that was built, in any order. */
  onBuilt?(request: BuildRequest): void
  /** Called with each result, in the order of the requests. `uses` has the slugs of all sources. */
  onReady?(result: BuildResult, uses: SlugUses): void
}

/**
 * Builds the sources that the cache does not have, and returns all results in the order of the requests.
 *
 * To hand over results before all sources are built, it must know which slugs are used twice. So the sources that are being built
 * are parsed here at the same time.
 */
export async function buildInOrder(
  requests: readonly BuildRequest[],
  { pool, cache }: BuildMeans,
  observer: BuildObserver = {},
): Promise<BuildResult[]> {
  const results = await findResults(requests, cache)
  const missing = [...requests.keys()].filter((at) => results[at] === undefined)
  observer.onMissing?.(missing.map((at) => requests[at]!))
  let uses: SlugUses | undefined
  let handed = 0
  let handing: Promise<void> = Promise.resolve()
  const handOver = async (): Promise<void> => {
    await yieldToSignals()
    for (let next = results[handed]; uses !== undefined && next !== undefined; next = results[handed]) {
      handed++
      observer.onReady?.(next, uses)
    }
  }
  const collect = (index: number, result: BuildResult): void => {
    const at = missing[index]!
    results[at] = result
    cache?.store(requests[at]!, result)
    observer.onBuilt?.(requests[at]!)
    handing = handing.then(handOver)
  }
  const building = pool.build(
    missing.map((at) => requests[at]!),
    collect,
  )
  if (observer.onReady !== undefined && missing.length > 0 && requests.length > 1) {
    uses = await planSlugs(requests, results)
  }
  await building
  await handing
  const all = results as BuildResult[]
  uses ??= groupBySlug(all)
  await handOver()
  return all
}

/** Blocks of work in this thread are about this long, so that signals are handled between them. */
const BLOCK_MS = 50

async function findResults(
  requests: readonly BuildRequest[],
  cache: BuildCache | undefined,
): Promise<(BuildResult | undefined)[]> {
  if (cache === undefined) return requests.map(() => undefined)
  const results: (BuildResult | undefined)[] = []
  let last = performance.now()
  for (const request of requests) {
    results.push(await cache.find(request))
    if (performance.now() - last < BLOCK_MS) continue
    await setImmediate()
    last = performance.now()
  }
  return results
}

async function planSlugs(
  requests: readonly BuildRequest[],
  found: readonly (BuildResult | undefined)[],
): Promise<SlugUses> {
  const { readSource } = await import('./read-source.ts')
  // Results are filled in while the sources are parsed, so the copy keeps what is missing.
  const known = [...found]
  const planned: BuildResult[] = []
  for (const [at, request] of requests.entries()) {
    const result = known[at]
    if (result !== undefined) planned.push(result)
    else planned.push((await readSource(request)).unbuilt)
    // Between two sources, threads that are done get their next one.
    if (result === undefined) await setImmediate()
  }
  return groupBySlug(planned)
}

/**
 * Lets a signal that arrived during a build end the program before anything is written. The first turn of the event loop may
 * end before it polls for signals; the second cannot.
 */
async function yieldToSignals(): Promise<void> {
  await setImmediate()
  await setImmediate()
}
