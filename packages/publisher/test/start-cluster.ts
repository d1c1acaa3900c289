import { setTimeout } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { limitStart } from '../../test-kit/test/start-program.ts'
import { startOwnRedis } from '../../test-kit/test/start-redis.ts'

const SLOTS = 16_384
const NODES = 3
const WAIT_MS = 50

/** Starts a Redis Cluster of three nodes, each with a third of the slots, until the test ends. */
export async function startCluster(): Promise<{ readonly urls: readonly string[] }> {
  const nodes = await Promise.all(
    Array.from({ length: NODES }, () => startOwnRedis(['--cluster-enabled', 'yes'])),
  )
  const signal = limitStart()
  const clients = nodes.map(({ url }) => new Redis(url))
  const first = new URL(nodes[0]!.url).port
  for (const [at, client] of clients.entries()) {
    const [from, to] = [at, at + 1].map((part) => Math.floor((part * SLOTS) / NODES))
    await client.call('CLUSTER', 'ADDSLOTSRANGE', from!, to! - 1)
    await client.call('CLUSTER', 'MEET', '127.0.0.1', first)
  }
  for (const client of clients) {
    while (!(await isWhole(client))) await setTimeout(WAIT_MS, undefined, { signal })
    client.disconnect()
  }
  return { urls: nodes.map(({ url }) => url) }
}

async function isWhole(client: Redis): Promise<boolean> {
  const info = String(await client.call('CLUSTER', 'INFO'))
  return info.includes('cluster_state:ok') && info.includes(`cluster_size:${NODES}`)
}
