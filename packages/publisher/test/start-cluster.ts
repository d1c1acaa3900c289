import { setTimeout } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { limitStart } from '../../test-kit/test/start-program.ts'
import { startOwnRedis, type OwnRedis } from '../../test-kit/test/start-redis.ts'

const SLOTS = 16_384
const NODES = 3
const WAIT_MS = 50

/** A Redis Cluster of three nodes, each with a third of the slots. */
export interface TestCluster {
  readonly urls: readonly string[]
  stop(): Promise<void>
}

export async function startCluster(): Promise<TestCluster> {
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
  return { urls: nodes.map(({ url }) => url), stop: () => stopAll(nodes) }
}

async function isWhole(client: Redis): Promise<boolean> {
  const info = String(await client.call('CLUSTER', 'INFO'))
  return info.includes('cluster_state:ok') && info.includes(`cluster_size:${NODES}`)
}

async function stopAll(nodes: readonly OwnRedis[]): Promise<void> {
  for (const node of nodes) await node.stop()
}
