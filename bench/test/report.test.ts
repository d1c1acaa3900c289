import { expect, it } from 'vitest'
import { formatReport } from '../report.ts'
import type { BenchResults } from '../results.ts'
import { summarizeSavings } from '../savings.ts'

const nothing: BenchResults = {
  corpus: { name: 'corpus', sample: false, documents: 1, bytes: 2_000_000, tokens: 500_000 },
  machine: { cpu: 'Some CPU', cores: 2, memoryGB: 4, node: 'v24.0.0' },
  savings: [],
  speed: [],
  decode: [],
  build: [],
  peers: [],
}
const savings = (net: number): BenchResults['savings'] => [
  summarizeSavings('dense-1', [
    {
      file: 'a.md',
      bytes: 20_000,
      source: 1_000,
      content: 1_000 - 10 * net,
      rosetta: 0,
      entries: 1,
      optimality: 1,
      roundTrip: true,
    },
  ]),
]

it('names the documents and the machine', () => {
  expect(formatReport(nothing)).toBe(
    '# Benchmark\n\n1 documents of the shared corpus, 2.00 MB, 500,000 o200k_base tokens. ' +
      '2 × Some CPU, 4 GB, Node 24.0.0.\n',
  )
})

it('says whether the goal of a scheme is met', () => {
  const row = (net: number): string | undefined =>
    formatReport({ ...nothing, savings: savings(net) })
      .split('\n')
      .find((line) => line.startsWith('| dense-1'))
      ?.replaceAll(/ +/g, ' ')
  expect(row(18)).toBe('| dense-1 | 18.00 | 18.00 | 18.00 | 0.00 | 10.0 · 15.7 · 16.1 · – | met | 0 | 0 |')
  expect(row(16)).toContain('| 10.0 · 15.7 · 16.1 · – | **missed** |')
})

it.each([{ name: 'examples' as const }, { sample: true }])('sets no goals for %j', (other) => {
  const corpus = { ...nothing.corpus, ...other }
  expect(formatReport({ ...nothing, corpus, savings: savings(17) })).not.toContain('missed')
})

it('judges decoding by its share of the loop and by what the entries cost', () => {
  const one = { uses: 1, megabytes: 4, loopMBps: 400 }
  const report = formatReport({
    ...nothing,
    decode: [
      { ...one, entries: 10, decodeMBps: 240, ratio: 0.6 },
      { ...one, entries: 1200, decodeMBps: 110, ratio: 0.275 },
    ],
  })
  expect(report.split('\n').filter((line) => /\| +met \|$/.test(line))).toHaveLength(1)
  expect(report.split('\n').filter((line) => /\| +\*\*missed\*\* \|$/.test(line))).toHaveLength(1)
})

it('judges builds of a folder by their seconds, and compares each with its yardstick', () => {
  const one = {
    files: 300,
    bytes: 3_000_000,
    yardstick: 'another program',
    yardstickSeconds: 0.5,
    ratio: 1.84,
  }
  const report = formatReport({
    ...nothing,
    build: [
      { ...one, what: 'cold', seconds: 9 },
      { ...one, what: 'unchanged', seconds: 0.92 },
      { ...one, what: 'one edit', seconds: 1.6 },
    ],
  })
  const rows = report
    .split('\n')
    .slice(-4, -1)
    .map((line) => line.replaceAll(/ +/g, ' '))
  expect(report).toContain('300 files, 3.0 MB')
  expect(rows).toEqual([
    '| cold | 9.00 s | another program | 0.50 s | 1.8× | | |',
    '| unchanged | 0.92 s | another program | 0.50 s | 1.8× | ≤ 1 s | met |',
    '| one edit | 1.60 s | another program | 0.50 s | 1.8× | ≤ 1.5 s | **missed** |',
  ])
})
