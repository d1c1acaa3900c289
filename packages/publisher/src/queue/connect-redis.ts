import { withTimeLimit } from '@packs/catalog'
import { Cluster, Redis, type RedisOptions } from 'ioredis'
import { PublishError } from '../publish-error.ts'

type RedisRole = 'producer' | 'worker' | 'quota'

const ROLES: Readonly<Record<RedisRole, NodeOptions>> = {
  /** Fails at once while Redis is unreachable, so that no caller waits in vain. */
  producer: {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: 5000,
    commandTimeout: 10_000,
  },
  /** Waits until Redis is back, without a time limit. */
  worker: { maxRetriesPerRequest: null, connectTimeout: 5000 },
  /** A request waits for each command. */
  quota: { enableOfflineQueue: false, maxRetriesPerRequest: 0, connectTimeout: 2000, commandTimeout: 500 },
}

/**
 * Connects to Redis, or to the cluster of the node, and checks that no queue is evicted.
 * @param role decides how long commands wait while Redis cannot be reached
 * @throws PublishError `invalid_redis_url`, `queue_unavailable`, `queue_evicts`
 */
export async function connectRedis(url: string, role: RedisRole): Promise<RedisConnection> {
  const options = ROLES[role]
  let hasConnected = false
  const retryStrategy = (times: number): number | null => (hasConnected ? waitLonger(times) : null)
  const redis = new Redis(checkUrl(url), { ...options, retryStrategy, lazyConnect: true })
  // A worker waits for Redis, which may take minutes to load its data.
  const deadline = role === 'worker' ? undefined : options.connectTimeout
  const isCluster = await initConnection(redis, deadline, async () => {
    await redis.connect()
    // A cluster node serves only its share of the keys.
    if (/^cluster_enabled:1/m.test(await redis.info('cluster'))) return true
    await checkEvictionPolicy(redis)
    return false
  })
  hasConnected = true
  if (!isCluster) return redis
  redis.disconnect()
  const cluster = createCluster(url, options)
  await initConnection(cluster, deadline, async () => {
    await cluster.connect()
    for (const node of cluster.nodes('master')) await checkEvictionPolicy(node)
  })
  return cluster
}

/**
 * Closes the connection if its set-up fails.
 * @param deadline milliseconds after which a Redis that does not answer is given up
 * @throws PublishError
 */
async function initConnection<T>(
  connection: RedisConnection,
  deadline: number | undefined,
  steps: () => Promise<T>,
): Promise<T> {
  let lastError: Error | undefined
  connection.on('error', (error: Error) => (lastError = error))
  const giveUp = (): never => {
    throw unavailableError('it does not answer')
  }
  try {
    return await (deadline === undefined ? steps() : withTimeLimit(steps(), deadline, giveUp))
  } catch (error) {
    // Disconnecting a connection that has already ended would keep the process alive for two seconds.
    if (connection.status !== 'end') connection.disconnect()
    const explained = explainQueueError(error instanceof PublishError ? error : (lastError ?? error))
    throw explained instanceof PublishError ? explained : unavailableError('it does not answer', error)
  }
}

function checkUrl(url: string): string {
  if (URL.canParse(url) && /^rediss?:$/.test(new URL(url).protocol)) return url
  throw new PublishError(
    'invalid_redis_url',
    'The Redis address is not a redis:// or rediss:// URL',
    'Write REDIS_URL like redis://127.0.0.1:6379, with special characters of a password percent-encoded.',
  )
}

async function checkEvictionPolicy(redis: Redis): Promise<void> {
  const policy = /^maxmemory_policy:(\S+)/m.exec(await redis.info('memory'))?.[1]
  if (policy === undefined || policy === 'noeviction') return
  throw new PublishError(
    'queue_evicts',
    `Redis may evict jobs to free memory: its maxmemory-policy is ${policy.slice(0, 40)}`,
    'Set maxmemory-policy to noeviction, or use a Redis that is not a cache.',
  )
}

function waitLonger(times: number): number {
  return Math.min(100 * times, 1000)
}

export type RedisConnection = Redis | Cluster

type NodeOptions = Pick<
  RedisOptions,
  'enableOfflineQueue' | 'maxRetriesPerRequest' | 'commandTimeout' | 'connectTimeout'
>

/** The cluster discovers the other nodes from that of `url`, and follows moved keys. */
function createCluster(url: string, { enableOfflineQueue = true, ...options }: NodeOptions): Cluster {
  const { hostname, port, username, password, protocol } = new URL(url)
  return new Cluster([{ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) }], {
    lazyConnect: true,
    enableOfflineQueue,
    clusterRetryStrategy: waitLonger,
    redisOptions: {
      ...options,
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
      ...(protocol === 'rediss:' && { tls: {} }),
    },
  })
}

/** Converts an error of Redis into a `PublishError`; returns any other error unchanged. */
export function explainQueueError(error: unknown): unknown {
  if (error instanceof PublishError || !(error instanceof Error)) return error
  const { message } = error
  if (/\bOOM command not allowed|\bMISCONF\b/.test(message)) {
    const what = message.includes('MISCONF') ? 'it cannot write to its disk' : 'its memory is full'
    return new PublishError(
      'queue_full',
      `Redis accepts no jobs: ${what}`,
      'Free memory or disk space for Redis. Jobs accepted before will run then.',
      { cause: error },
    )
  }
  const refusal = /^(WRONGPASS|NOAUTH)\b/.exec(message)?.[1]
  if (refusal !== undefined) {
    const what = refusal === 'NOAUTH' ? 'requires a password, and got none' : 'rejected the user or password'
    return new PublishError(
      'queue_unavailable',
      `Redis ${what} (${refusal})`,
      'Correct user and password in REDIS_URL: redis://USER:PASSWORD@HOST:PORT, special characters percent-encoded.',
      { cause: error },
    )
  }
  const reason = findReason(error)
  return reason === undefined ? error : unavailableError(reason, error)
}

function unavailableError(reason: string, cause?: unknown): PublishError {
  return new PublishError(
    'queue_unavailable',
    `Redis cannot be reached (${reason})`,
    'Start Redis, check REDIS_URL, and publish again: versions published already stay unchanged.',
    { cause },
  )
}

/** Never contains the URL, which may hold a password. */
function findReason(error: Error): string | undefined {
  const { code } = error as NodeJS.ErrnoException
  if (code !== undefined && /^[A-Z_]+$/.test(code) && /^E[A-Z_]|CERT|TLS|SSL/.test(code)) return code
  const refusal = /^(NOPERM|LOADING|READONLY|CLUSTERDOWN|MASTERDOWN|ERR max number of clients)/.exec(
    error.message,
  )
  if (refusal) return refusal[1]
  return /Stream isn't writeable|Connection is closed|Command timed out|max retries per request|Connection is in subscriber|Connection in state|Cluster isn't ready|Failed to refresh slots cache|None of startup nodes/i.test(
    error.message,
  )
    ? 'the connection broke'
    : undefined
}
