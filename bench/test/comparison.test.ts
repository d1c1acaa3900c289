import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { BenchResults } from '../results.ts'

const { peers } = JSON.parse(readFileSync('bench/results/latest.json', 'utf8')) as BenchResults
const page = readFileSync('docs/comparison.md', 'utf8')
const table = page.split('\n').filter((line) => /^\|.*\|.*\|.*\|.*\|.*\|/.test(line))
const [head, , ...rows] = table.map((line) => line.split('|').map((cell) => cell.trim()))

describe('docs/comparison.md', () => {
  it('has the figures of the last full run', () => {
    const expected = peers.map(({ file, tokens, peers: others, ours }) => {
      const name = file
        .split(/\/|__/)
        .filter((part) => part !== 'README.md')
        .at(-1)
      const figures: Readonly<Record<string, number>> = { ...others, ...ours }
      const columns = head!.slice(3, -1)
      return [
        '',
        name,
        tokens.toLocaleString('en'),
        ...columns.map((column) => figures[column]!.toFixed(1)),
        '',
      ]
    })
    expect(rows).toEqual(expected)
  })

  it('says where we lose', () => {
    const losses = (other: string, variant: string): number[] =>
      peers.map(({ peers: others, ours }) => others[other]! - ours[variant]!).filter((gap) => gap > 0)
    const greedy = losses('plain_greedy', 'dense-1').toSorted((a, b) => a - b)
    expect(greedy).toHaveLength(6)
    expect(page).toContain(`by ${greedy[0]!.toFixed(1)} to ${greedy.at(-1)!.toFixed(1)} points`)
    expect(losses('ltcf', 'dense-1')).toHaveLength(4)
    expect(page).toContain('less than `ltcf` on four of six')
    expect(peers.filter(({ ours }) => ours['glossary-1'] === 0)).toHaveLength(5)
    expect(page).toContain('saves nothing on five of six')
    const better = peers.filter(
      ({ peers: others, ours }) => Math.max(...Object.values(others)) >= ours['max-1']!,
    )
    expect(better.map(({ tokens }) => tokens)).toEqual([796])
  })
})
