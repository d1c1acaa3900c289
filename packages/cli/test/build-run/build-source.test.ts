import { parseSource } from '@packs/codec/pack'
import { expect, it } from 'vitest'
import { buildSource, type BuiltSource } from '../../src/build-run/build-source.ts'

it('builds a source, and reports what is wrong with it', async () => {
  const build = (text: string): Promise<BuiltSource> =>
    buildSource({ source: parseSource(text, { path: 'a.md' }).source!, shown: 'a.md', overrides: {} })
  const good = await build('# A title\n')
  expect([good.pack?.slug, JSON.parse(good.text!)]).toMatchObject(['a', { content: '# A title\n' }])
  const bad = await build('---\nbudget: 1\n---\n# A title\n')
  expect(bad.messages.at(-1)).toMatchObject({ file: 'a.md', rule: 'over-budget', severity: 'error', line: 2 })
})
