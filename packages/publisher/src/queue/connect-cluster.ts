import { Cluster, type Redis, type RedisOptions } from 'ioredis'

/** One Redis, or a cluster of them. */
export type RedisConnection = Redis | Cluster

/** How a connection to one node behaves. */
export type NodeOptions = Pick<
  RedisOptions,
  'enableOfflineQueue' | 'maxRetriesPerRequest' | 'commandTimeout' | 'connectTimeout'
>

/** Is the Redis of a connection a node of a cluster, which answers for its part of the keys alone. */
export async function isClusterNode(redis: Redis): Promise<boolean> {
  return /^cluster_enabled:1/m.test(await redis.info('cluster'))
}

/**
 * Creates a connection to the cluster that a node belongs to; it finds the others, and follows the keys where they go.
 *
 * @param options of the connections to each node
 */
export function createCluster(url: string, { enableOfflineQueue = true, ...options }: NodeOptions): Cluster {
  const { hostname, port, username, password, protocol } = new URL(url)
  return new Cluster([{ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) }], {
    lazyConnect: true,
    enableOfflineQueue,
    clusterRetryStrategy: (times) => Math.min(100 * times, 1000),
    redisOptions: {
      ...options,
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
      ...(protocol === 'rediss:' && { tls: {} }),
    },
  })
}
