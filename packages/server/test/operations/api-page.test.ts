import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { launcher, makeFolder } from '../../../test-kit/test/run-pack.ts'
import { addCustomer } from '../serve/customers.ts'
import { startServer } from '../../../test-kit/test/start-server.ts'
import { readDocument, root } from './read-examples.ts'

const run = promisify(execFile)
const embedded = { DATABASE_URL: '', REDIS_URL: '' }

describe('the examples of the API documentation', () => {
  it('start with commands that print a pack', async () => {
    const folder = makeFolder()
    const npx = join(folder, 'npx')
    writeFileSync(npx, `#!/bin/sh\nshift\nexec "${process.execPath}" "${launcher}" "$@"\n`)
    chmodSync(npx, 0o755)
    const port = String(await findPort())
    const [, commands = ''] = /```sh\n(.*?)```/s.exec(readDocument('api.md')) ?? []
    const script = commands.replace('pack serve', `pack serve --port ${port}`).replace('8080', port)
    const { stdout } = await run('sh', ['-ec', `trap 'kill $!' EXIT\n${script}`], {
      cwd: root,
      env: {
        ...process.env,
        ...embedded,
        PATH: `${folder}:${process.env['PATH']}`,
        PACK_DATA: join(folder, 'data'),
      },
    })
    expect(stdout).toContain('"slug":"tls-certificates"')
  })

  it('include a client that finds packs by short names and in other scripts, and works from its cache', async () => {
    const data = makeFolder()
    const key = await addCustomer(join(data, 'catalog.sqlite'), 'pro', null)
    const sources = ['hugo/content/tls-certificates', 'zhongguo-cha'].map(
      (path) => `examples/packs/${path}.md`,
    )
    await runInProcess(['publish', ...sources, '--data', data], { cwd: root, env: embedded })
    const server = await startServer(['--data', data], embedded)
    const ask = async (question: string): Promise<string> => {
      const env = { ...process.env, PACK_URL: server.url, PACK_KEY: key, PACK_CACHE: join(data, 'copies') }
      const args = ['-C', 'source', 'examples/search-catalog.ts', question]
      return (await run(process.execPath, args, { cwd: root, env })).stdout
    }
    expect(await ask('Is TLS slow?')).toContain('Read      TLS certificates in operation')
    expect(await ask('什么是中国茶？')).toContain('Read      中国茶入门')
    expect(await ask('Is it?')).toBe('The catalog has nothing within 1200 tokens for: Is it?\n')
    await server.end('SIGTERM')
    const copy = await ask('Is TLS slow?')
    expect(copy).toContain(
      'From the cache, because the catalog is not available (the service is unreachable)',
    )
    expect(copy).toContain('Read      TLS certificates in operation')
  })
})

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
