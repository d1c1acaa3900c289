import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { LOG_LOADED } from '../../packages/cli/test/log-loaded.ts'
import { runPack } from '../../packages/test-kit/test/run-pack.ts'

const root = resolve(import.meta.dirname, '../..')
const address = pathToFileURL(root).href

// Other tests start what `pnpm build` has written. They say nothing about sources that were changed since.
it('is what its sources give, like the modules of the other packages', () => {
  const options = { cwd: root, encoding: 'utf8' } as const
  const modules = spawnSync('node_modules/.bin/tsc', ['-b', 'tsconfig.build.json', '--dry'], options)
  expect(modules.stdout).toContain('packages/cli/tsconfig.json')
  expect(modules.stdout.match(/would build project .*/g) ?? []).toEqual([])
  const bundle = spawnSync(process.execPath, ['scripts/bundle-program.js', '--check'], options)
  expect([bundle.status, bundle.stderr]).toEqual([0, ''])
})

it('is what starts, and contains all packages that a build needs', async () => {
  const { stderr } = await runPack(['build', '-', '--dry-run'], {
    input: '---\ntitle: A\n---\n# A\n',
    nodeArgs: ['--import', LOG_LOADED],
  })
  const loaded = (stderr.match(/(?<=^loaded ).+$/gm) ?? []).filter((url) => url.startsWith(address))
  expect(loaded).toContain(`${address}/packages/cli/dist/main.js`)
  // A first build reads the ranks of its vocabulary, which are not bundled.
  const isBundled = (url: string): boolean => /\/cli\/dist\/|\/gpt-tokenizer\//.test(url)
  expect(loaded.filter((url) => !isBundled(url))).toEqual([`${address}/packages/cli/bin/pack.js`])
})
