import { join, resolve } from 'node:path'
import { parseSource } from '@packs/codec/pack'
import { expect, it } from 'vitest'
import { examplePacks } from '../../../test-kit/test/example-packs.ts'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const folder = resolve(import.meta.dirname, '../../../../examples/packs')

it('builds the examples without a warning; each saves 5 to 40 %, and comes back byte for byte', async () => {
  const cwd = makeFolder()
  const built = await runInProcess(['build', '.', '-o', join(cwd, 'out'), '--max-warnings', '0', '--json'], {
    cwd: folder,
  })
  expect(built.status).toBe(0)
  const { packs } = JSON.parse(built.stdout) as { packs: { slug: string; net_savings_pct: number }[] }
  expect(packs.map(({ slug }) => slug).toSorted()).toEqual(examplePacks.map(({ slug }) => slug).toSorted())
  const outside = packs.filter(({ net_savings_pct: saved }) => saved < 5 || saved > 40)
  expect(outside).toEqual([])
  for (const { slug, path, text } of examplePacks) {
    const { body } = parseSource(text, { path }).source!
    const { stdout } = await runInProcess(['decode', join('out', `${slug}.pack.json`)], { cwd })
    expect({ slug, isSource: stdout === body }).toEqual({ slug, isSource: true })
  }
})
