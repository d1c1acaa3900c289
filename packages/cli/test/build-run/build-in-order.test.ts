import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openBuildCache, buildInOrder, type BuildMeans } from '../../src/build-run/build-in-order.ts'
import { createBuildPool } from '../../src/build-run/create-build-pool.ts'
import { createRequests, type BuildRequest } from '../../src/build-run/create-requests.ts'
import { makeFolder, runPack } from '../../../test-kit/test/run-pack.ts'

const LINE = 'Every certificate transparency log entry names a certificate transparency log.\n'

/** A module for `--import` that logs each markdown file that the program or one of its threads opens. */
const LOG_OPENED = `data:text/javascript,${encodeURIComponent(`
  import fs, { writeSync } from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  for (const [module, names] of [[fs, ['open', 'openSync', 'readFile', 'readFileSync']], [fs.promises, ['open', 'readFile']]])
    for (const name of names) {
      const call = module[name]
      module[name] = (path, ...rest) => {
        if (String(path).endsWith('.md')) writeSync(2, 'opened ' + path + '\\n')
        return call.call(module, path, ...rest)
      }
    }
  syncBuiltinESMExports()
`)}`

describe('a build opens each source once to see whether it is a draft and once to build it', () => {
  it.each([
    ['here', 30, 3, '--verbose'],
    ['in threads', 150, 1, '--verbose'],
    ['with no cache', 30, 3, '--no-cache'],
  ])('%s', async (_, lines, sampled, option) => {
    const names = ['a', 'b', 'c'].map((name) => `docs/${name}.md`)
    const text = (name: string): string => `---\ntitle: ${name}\n---\n${LINE.repeat(lines)}`
    const cwd = makeFolder({
      'package.json': '{}',
      'node_modules/.keep': '',
      ...Object.fromEntries(names.map((name) => [name, text(name)])),
    })
    for (const used of [0, 3]) {
      const nodeArgs = ['--import', LOG_OPENED]
      const run = await runPack(['build', 'docs', '--config', 'none', option], { cwd, nodeArgs })
      expect(run.status).toBe(0)
      expect(run.stderr.match(/\d+(?= used$)/m)?.[0]).toBe(option === '--verbose' ? `${used}` : undefined)
      // The line shows that the sample for it was built too.
      expect(run.stdout).toContain(`(estimated on ${sampled === 1 ? '1 page' : `${sampled} pages`})\n`)
      const opened = run.stderr.match(/(?<=^opened ).*$/gm) ?? []
      const paths = names.map((name) => join(cwd, name))
      expect(opened).toHaveLength(6)
      expect(opened.slice(0, 3)).toEqual(paths)
      expect(opened.slice(3).toSorted()).toEqual(paths)
    }
  })
})

interface Project {
  readonly cwd: string
  readonly path: string
  readonly requests: readonly BuildRequest[]
  readonly means: BuildMeans & { readonly cache: NonNullable<BuildMeans['cache']> }
}

async function openProject(text: string): Promise<Project> {
  const cwd = makeFolder({ 'a.md': text })
  const path = join(cwd, 'a.md')
  const found = { files: [{ path, shown: 'a.md' }], failures: [], leftOut: [], skipped: [], messages: [] }
  const { good } = await createRequests(found, { buildSeconds: 60 })
  const pool = createBuildPool(60)
  onTestFinished(() => pool.close())
  const cache = openBuildCache(join(cwd, 'cache'))
  return { cwd, path, requests: good, means: { pool, cache } }
}

/** Calls a function whenever a source is parsed. */
function watchParses(requests: readonly BuildRequest[], onParse: () => void): BuildRequest[] {
  return requests.map((request) => ({
    ...request,
    async read() {
      const source = await request.read()
      const parse: typeof source.parse = () => {
        onParse()
        return source.parse()
      }
      return { ...source, parse }
    },
  }))
}

it('parses a source once, and none whose pack is in the cache', async () => {
  const { requests, means } = await openProject('---\ntitle: A\n---\n# A\n')
  let parses = 0
  const watched = watchParses(requests, () => parses++)
  const [cold] = await buildInOrder(watched, means)
  expect(parses).toBe(1)
  const [warm] = await buildInOrder(watched, means)
  expect(parses).toBe(1)
  expect([warm!.pack?.slug, warm!.text]).toEqual(['a', cold!.text])
})

it('keeps what was read and parsed for the other builds of the same run', async () => {
  const { requests } = await openProject('---\ntitle: A\n---\n# A\n')
  const [first, second] = [await requests[0]!.read(), await requests[0]!.read()]
  expect(second).toBe(first)
  expect(await second.parse()).toBe(await first.parse())
})

it('stores what was built under the digest of what was read, though the file changed during the run', async () => {
  const before = '---\ntitle: A\n---\nbefore\n'
  const after = '---\ntitle: A\n---\nafter\n'
  const { path, requests, means } = await openProject(before)
  const [built] = await buildInOrder(
    watchParses(requests, () => writeFileSync(path, after)),
    means,
  )
  expect(JSON.parse(built!.text!)).toMatchObject({ content: 'before\n' })
  const find = (text: string): Promise<unknown> =>
    means.cache.find(requests[0]!, {
      bytes: Buffer.from(text),
      digest: createHash('sha256').update(text).digest('hex'),
    })
  expect(await find(before)).toMatchObject({ text: built!.text })
  expect(await find(after)).toBeUndefined()
})
