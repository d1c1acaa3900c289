import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const module = new URL('../../src/queue/connect-redis.ts', import.meta.url).href

describe('connectRedis', () => {
  it.each(['producer', 'worker', 'quota'])(
    'leaves no timer or socket that keeps the process of a %s alive if Redis is unreachable',
    async (role) => {
      const program = `
      const { connectRedis } = await import(${JSON.stringify(module)})
      const error = await connectRedis('redis://127.0.0.1:1', '${role}').catch((error) => error)
      const isTimer = (kind) => kind === 'Timeout' || kind.startsWith('TCP')
      console.log(error.code, JSON.stringify(process.getActiveResourcesInfo().filter(isTimer)))`
      const args = ['-C', 'source', '--input-type=module', '-e', program]
      const { stdout } = await promisify(execFile)(process.execPath, args)
      expect(stdout).toBe('queue_unavailable []\n')
    },
  )
})
