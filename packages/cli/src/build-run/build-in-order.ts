import { setImmediate } from 'node:timers/promises'
import type { BuildResult } from '../output/build-result.ts'
import { toDiagnostic } from '../output/diagnostic.ts'
import { diagnoseErrors } from '../output/report-error.ts'
import type { BuiltSource } from './build-source.ts'
import type { BuildCache } from './build-cache.ts'
import type { BuildPool, WaitingSource } from './create-build-pool.ts'
import { type BuildRequest, locateMessages, type ReadSource } from './read-source.ts'
import { groupBySlug, type SlugUses } from './write-packs.ts'

/** The builder of sources and its cache. */
export interface BuildMeans {
  readonly pool: BuildPool
  /** Absent with `--no-cache`. */
  readonly cache: BuildCache | undefined
}

/** Called while a build runs. */
export interface BuildObserver {
  /** Called with each source that must be built because the cache has no sound entry, in order. */
  onMissing?(request: BuildRequest): void
  /** Called with each source that was built, in any order. */
  onBuilt?(request: BuildRequest): void
  /** Called with each result, in the order of the requests. `uses` has the slugs of all sources. */
  onReady?(result: BuildResult, uses: SlugUses): void
}

/**
 * Builds the sources that are not in the cache, and returns all results in the order of the
 * requests.
 *
 * Each source is read once, looked up in the cache by the digest of its bytes, and otherwise parsed
 * once, here, so that its slug is known before it is built. Results are reported once all slugs are
 * known.
 */
export async function buildInOrder(
  requests: readonly BuildRequest[],
  { pool, cache }: BuildMeans,
  observer: BuildObserver = {},
): Promise<BuildResult[]> {
  const results: (BuildResult | undefined)[] = requests.map(() => undefined)
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
  async function* listMissing(): AsyncGenerator<WaitingSource> {
    const prepared: BuildResult[] = []
    for (const [at, request] of requests.entries()) {
      const { result, source, read } = await prepareSource(request, cache)
      prepared.push(result)
      if (source === undefined) {
        results[at] = result
        continue
      }
      observer.onMissing?.(request)
      const { shown, overrides } = request
      const onBuilt = ({ pack, text, messages }: BuiltSource): void => {
        const built = {
          ...result,
          pack,
          text,
          messages: [...result.messages, ...locateMessages(messages, read)],
        }
        results[at] = built
        cache?.store(request, read.digest, built)
        observer.onBuilt?.(request)
        handing = handing.then(handOver)
      }
      yield { task: { source, shown, overrides }, bytes: read.bytes.length, onBuilt }
    }
    uses = groupBySlug(prepared)
  }
  await pool.build(listMissing())
  await handing
  await handOver()
  return results as BuildResult[]
}

/** The result so far, and the source if it must be built. */
type PreparedSource = { readonly result: BuildResult } & (
  | { readonly source: WaitingSource['task']['source']; readonly read: ReadSource }
  | { readonly source?: never; readonly read?: never }
)

/**
 * Reads a source, and takes its result from the cache or parses it. Errors are among the messages
 * of the result.
 */
async function prepareSource(request: BuildRequest, cache: BuildCache | undefined): Promise<PreparedSource> {
  const { path, shown, overrides } = request
  const unread = { path, shown, pack: null, slugPosition: null, text: null, messages: [] }
  try {
    const read = await request.read()
    const { included } = read
    const found = await cache?.find(request, read)
    if (found !== undefined) return { result: { ...found, included } }
    const { source, messages: all } = await read.parse()
    const parsed = all.map((message) => toDiagnostic(message, shown))
    const messages = [...read.messages, ...locateMessages(parsed, read)]
    if (source === undefined) return { result: { ...unread, included, messages } }
    const { slug, compression, positions } = source
    const scheme = overrides.scheme ?? compression
    const result = {
      ...unread,
      slug,
      slugPosition: positions.get('slug') ?? null,
      scheme,
      included,
      messages,
    }
    return { result, source, read }
  } catch (error) {
    return { result: { ...unread, messages: diagnoseErrors(error, shown) } }
  }
}

/**
 * Lets a signal that arrived during a build end the program before anything is written. The first
 * turn of the event loop may end before it polls for signals; the second cannot.
 */
async function yieldToSignals(): Promise<void> {
  await setImmediate()
  await setImmediate()
}
