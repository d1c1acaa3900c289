import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { SavingsResults } from '../results-page.ts'

const root = join(import.meta.dirname, '..', '..')
const page = readFileSync(join(root, 'docs/comparison.md'), 'utf8')
const { peers } = JSON.parse(readFileSync(join(root, 'bench/results/savings.json'), 'utf8')) as SavingsResults
const columns = ['ltcf', 'plain_greedy', 'minify-1', 'dense-2', 'max-2']

const readCells = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

it('docs/comparison.md shows the figures of the last full run', () => {
  const [, table = ''] = page.split(/<!-- peers: (?:begin|end) -->/)
  const [head = '', , ...rows] = table.trim().split('\n')
  expect(readCells(head)).toEqual(['file', 'tokens', ...columns])
  expect(rows.map(readCells)).toEqual(
    peers.map(({ file, tokens, peers: theirs, ours }) => [
      file,
      tokens.toLocaleString('en'),
      ...columns.map((name) => (theirs[name] ?? ours[name] ?? Number.NaN).toFixed(2)),
    ]),
  )
})

it('docs/comparison.md says in its text only percentages of that table', () => {
  const [, list = ''] = /### Where Packs saves less\n(.*?)\n## /s.exec(page) ?? []
  const said = [...list.matchAll(/(\d+\.\d+) %/g)].map(([, figure]) => figure)
  const figures = peers.flatMap(({ peers: theirs, ours }) =>
    columns.map((name) => (theirs[name] ?? ours[name] ?? Number.NaN).toFixed(2)),
  )
  expect(said).not.toEqual([])
  expect(said.filter((figure) => figure === undefined || !figures.includes(figure))).toEqual([])
})

it('docs/comparison.md counts correctly where dense-2 and max-2 save less', () => {
  const countLess = (scheme: string, other: string): number =>
    peers.filter(({ peers: theirs, ours }) => ours[scheme]! < theirs[other]!).length
  expect([countLess('dense-2', 'plain_greedy'), countLess('dense-2', 'ltcf')]).toEqual([3, 1])
  expect([countLess('max-2', 'plain_greedy'), countLess('max-2', 'ltcf')]).toEqual([1, 1])
})
