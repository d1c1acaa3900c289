import { openCatalog } from '@packs/catalog'
import { buildPack } from '@packs/codec/build'
import { createInProcessRunner, type Runner } from '@packs/publisher'
import type { SourceKind } from './make-sources.ts'
import { quantileOf } from './quantile.ts'

/** Measurements of publishing in process, one source after the other. */
export interface EmbeddedFigures {
  readonly database: string
  readonly kind: string
  readonly sourceBytes: number
  readonly perSecond: number
  /** Baseline: the same sources built with `buildPack` alone, alternating with the publishes. */
  readonly buildsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU time of this process per publish. */
  readonly cpuMs: number
  /** Bytes in the database, including source and indexes. */
  readonly bytesPerPack: number
}

export interface BenchDatabase {
  readonly name: string
  readonly url: string
  /** Returns the size on disk in bytes. */
  measureSize(): Promise<number>
}

export async function measureEmbedded(
  database: BenchDatabase,
  kinds: readonly SourceKind[],
): Promise<EmbeddedFigures[]> {
  const catalog = await openCatalog({ url: database.url })
  const runner = createInProcessRunner(catalog)
  const figures: EmbeddedFigures[] = []
  try {
    for (const kind of kinds) figures.push(await measureKind(database, kind, runner))
  } finally {
    await catalog.close()
  }
  return figures
}

async function measureKind(
  database: BenchDatabase,
  kind: SourceKind,
  runner: Runner,
): Promise<EmbeddedFigures> {
  for (let round = 0; round < 5; round++) await publish(runner, kind, `warm-${kind.name}-${round}`)
  const size = await database.measureSize()
  const publishes: number[] = []
  const builds: number[] = []
  let cpu = 0
  for (let round = 0; round < kind.count; round++) {
    const request = kind.createRequest(`${kind.name}-${round}`)
    const beganBuild = performance.now()
    await buildPack(request.source)
    builds.push(performance.now() - beganBuild)
    const before = process.cpuUsage()
    const began = performance.now()
    const [result] = await runner.publish([request])
    publishes.push(performance.now() - began)
    const { user, system } = process.cpuUsage(before)
    cpu += (user + system) / 1000
    if (result?.status !== 'published') throw new Error(`${request.source.slug} was not published`)
  }
  return {
    database: database.name,
    kind: kind.name,
    sourceBytes: kind.bytes,
    perSecond: rate(publishes),
    buildsPerSecond: rate(builds),
    p50Ms: quantileOf(publishes, 0.5),
    p99Ms: quantileOf(publishes, 0.99),
    cpuMs: cpu / kind.count,
    bytesPerPack: ((await database.measureSize()) - size) / kind.count,
  }
}

async function publish(runner: Runner, kind: SourceKind, name: string): Promise<void> {
  await runner.publish([kind.createRequest(name)])
}

function rate(times: readonly number[]): number {
  return (1000 * times.length) / times.reduce((sum, time) => sum + time, 0)
}
