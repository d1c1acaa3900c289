import { createProgress } from '../progress.ts'
import { LARGE_DOMAIN, LARGE_PACKS } from './fill-catalog.ts'
import type { BenchServer } from './start-servers.ts'

/** Figures of concurrent downloads of 100 packs as NDJSON. */
export interface DownloadFigures {
  readonly packs: number
  readonly downloads: number
  readonly atOnce: number
  readonly megabytes: number
  readonly megabytesPerSecond: number
  /** Megabytes of the process after the first tenth, and the maximum after that. */
  readonly memoryBefore: number
  readonly memoryMost: number
}

const AT_ONCE = 8
const MEGABYTE = 2 ** 20

/** Downloads the same page repeatedly, and records the memory of the server. */
export async function measureDownloads(
  api: BenchServer,
  key: string,
  packs: number,
  downloads: number,
): Promise<DownloadFigures> {
  const tick = createProgress(`${packs} packs, downloads`, downloads)
  let bytes = 0
  let before = 0
  let most = 0
  let begin = 0
  for (let done = 0; done < downloads; done += AT_ONCE) {
    const warm = done >= downloads / 10
    if (warm && begin === 0) {
      begin = performance.now()
      before = (await api.readUsage()).memory
      bytes = 0
    }
    const sizes = await Promise.all(Array.from({ length: AT_ONCE }, () => download(api.url, key)))
    for (const size of sizes) {
      bytes += size
      tick()
    }
    most = Math.max(most, (await api.readUsage()).memory)
  }
  const seconds = (performance.now() - begin) / 1000
  return {
    packs,
    downloads,
    atOnce: AT_ONCE,
    megabytes: bytes / MEGABYTE,
    megabytesPerSecond: bytes / MEGABYTE / seconds,
    memoryBefore: before / MEGABYTE,
    memoryMost: most / MEGABYTE,
  }
}

async function download(url: string, key: string): Promise<number> {
  const headers = { 'x-api-key': key, accept: 'application/x-ndjson', 'accept-encoding': 'identity' }
  const response = await fetch(`${url}/api/v1/packs/download?domain=${LARGE_DOMAIN}`, { headers })
  let size = 0
  let lines = 0
  for await (const chunk of response.body!) {
    size += chunk.length
    for (const byte of chunk) if (byte === 10) lines += 1
  }
  if (lines !== LARGE_PACKS) throw new Error(`A download has ${lines} lines`)
  return size
}
