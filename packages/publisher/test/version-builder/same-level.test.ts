import { Worker } from 'node:worker_threads'
import { readSource } from '@packs/publisher'
import { expect, it, onTestFinished } from 'vitest'
import { readCorpus } from '../../../codec/test/tokens/corpus.ts'
import { decideVersion, type VersionDecision } from '../../src/version-builder/decide-version.ts'

function decide(before: string, after: string, path = 'a.md'): VersionDecision {
  const [source, next] = [before, after].map((text) => readSource({ bytes: Buffer.from(text), path }).source)
  return decideVersion(next!, { version: '1.2.3', highest: '1.2.3', source: source! })
}

const FILLER =
  '## Part\n\nSome *words* with a [link](https://a.example/).\n\n- one\n- two\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```\ncode\n```\n\n'

it.each([
  ['a setext heading that is renamed', 'major', 'Old\n===\n\nt\n', 'New\n===\n\nt\n'],
  ['a setext heading that becomes ATX', 'patch', 'Name\n----\n\nt\n', '## Name\n\nt\n'],
  ['an ATX heading that is added', 'minor', 't\n', 't\n\n### More\n'],
  ['a table that gets a row', 'minor', '| a |\n| - |\n| 1 |\n', '| a |\n| - |\n| 1 |\n| 2 |\n'],
  ['a cell that changes', 'patch', '| a |\n| - |\n| 1 |\n', '| a |\n| - |\n| 3 |\n'],
  ['a heading that goes into a fence', 'major', '## B\n\nt\n', '~~~md\n## B\n~~~\n\nt\n'],
  ['code in a fence', 'patch', '```js\na()\n```\n', '```js\nb()\n```\n'],
  ['HTML that is added', 'minor', 't\n', 't\n\n<details>\nmore\n</details>\n'],
  ['a Chinese heading that is renamed', 'major', '## 安装\n\n文字。\n', '## 配置\n\n文字。\n'],
  ['Chinese text that changes', 'patch', '## 安装\n\n文字。\n', '## 安装\n\n文本。\n'],
  ['a component of MDX that is added', 'minor', 't\n', 't\n\n<Tabs>\n\nmore\n\n</Tabs>\n', 'a.mdx'],
  ['a list item that is nested', 'minor', '- a\n- b\n', '- a\n  - b\n'],
])('the level of %s is %s in 2 KB and in 900 KB', (_what, level, before, after, path = 'a.md') => {
  const [small, large] = [2000, 900_000].map((size) => {
    const rest = FILLER.repeat(Math.ceil(size / FILLER.length))
    return decide(`# A\n\n${before}\n${rest}`, `# A\n\n${after}\n${rest}`, path)
  })
  expect(small!.level).toBe(level)
  expect(large).toEqual(small)
})

it('the level of the same two texts is the same on a busy machine', () => {
  const texts = readCorpus(1)
  const edits: ((text: string) => string)[] = [
    (text) => `${text}\n\n## Added at the end\n\nMore.\n`,
    (text) => text.replace(/^(##? .*)$/m, '$1 renamed'),
    (text) => text.replace(/ the /, ' this '),
    (text) => text.replaceAll('\n\n', '\n\n\n'),
  ]
  const measure = (): unknown[] => texts.flatMap((text) => edits.map((edit) => decide(text, edit(text))))
  const idle = measure()
  for (let at = 0; at < 4; at++) {
    const busy = new Worker('for (;;) Math.sqrt(2)', { eval: true })
    onTestFinished(async () => void (await busy.terminate()))
  }
  expect(measure()).toEqual(idle)
})
