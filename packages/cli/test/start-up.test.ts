import { describe, expect, it } from 'vitest'
import { makeFolder, runPack } from './run-pack.ts'

const LOG_LOADED = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({
    load(url, context, next) {
      process.stderr.write('loaded ' + url + '\\n')
      return next(url, context)
    },
  })
`)}`

async function listLoaded(args: readonly string[], cwd: string): Promise<string[]> {
  const { status, stderr } = await runPack(args, { cwd, nodeArgs: ['--import', LOG_LOADED] })
  expect(status).toBe(0)
  return stderr.match(/(?<=^loaded ).+$/gm) ?? []
}

const HEAVY =
  /gpt-tokenizer|\/tokens\/|remark|mdast|micromark|unified|\/zod|\/yaml\/|chokidar|tinyglobby|jiti|lilconfig|momoa|\/build(?:-run)?\/|bullmq|ioredis|kysely|better-sqlite3|\/pg\/|pino|prom-client|packages\/(?:api|catalog|publisher|server|web)/

describe('start-up', () => {
  it.each([[['--version']], [['--help']], [['decode', 'a.pack.json']], [['init', 'sub']]])(
    'loads neither tokenizer, markdown, schemas nor YAML for %j',
    async (args) => {
      const cwd = makeFolder({ 'a.pack.json': '{"content":"ML","rosetta":"[DECODE] ML=machine learning"}' })
      const loaded = await listLoaded(args, cwd)
      expect(loaded.some((url) => url.endsWith('/src/program.ts'))).toBe(true)
      expect(loaded.filter((url) => HEAVY.test(url))).toEqual([])
    },
  )

  it('detects them in a build, which needs them', async () => {
    const cwd = makeFolder({ 'a.md': '# A title\n' })
    expect((await listLoaded(['build', '--dry-run'], cwd)).some((url) => HEAVY.test(url))).toBe(true)
  })
})
