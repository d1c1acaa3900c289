import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatFigures, putFigures } from '../put-figures.ts'
import type { BenchResults } from '../results.ts'
import { summarizeSavings } from '../savings.ts'

const results: BenchResults = {
  corpus: { name: 'corpus', sample: false, documents: 1, bytes: 20_000, tokens: 1_000 },
  machine: { cpu: 'Some CPU', cores: 2, memoryGB: 4, node: 'v24.0.0' },
  savings: [
    summarizeSavings('dense-1', [
      {
        file: 'a.md',
        bytes: 20_000,
        source: 1_000,
        content: 800,
        rosetta: 43,
        entries: 1,
        optimality: 1,
        roundTrip: true,
      },
    ]),
  ],
  speed: [{ variant: 'dense-1', ratio: 11.26, files: [] }],
  decode: [
    { entries: 10, uses: 1, megabytes: 4, decodeMBps: 149.6, loopMBps: 500, ratio: 0.3 },
    { entries: 200, uses: 1, megabytes: 4, decodeMBps: 120.2, loopMBps: 500, ratio: 0.24 },
  ],
  build: [],
  peers: [],
}

describe('putFigures', () => {
  it('replaces what stands between the comments and nothing else', () => {
    const readme = 'before\n\n<!-- bench: begin -->\n\nold\n\n<!-- bench: end -->\n\nafter\n'
    const written = putFigures(readme, results)
    expect(written).toMatch(/^before\n\n<!-- bench: begin -->\n\n\| net saved/)
    expect(written).toMatch(/\n\n<!-- bench: end -->\n\nafter\n$/)
    expect(written).not.toContain('old')
    expect(putFigures(written, results)).toBe(written)
  })

  it('refuses a page without the comments', () => {
    expect(() => putFigures('# Packs', results)).toThrow('<!-- bench: begin -->')
  })
})

describe('formatFigures', () => {
  it('shows net savings by size, compress time and decode speed', () => {
    expect(formatFigures(results)).toContain(
      '\n| dense-1   |      – |       – |   15.7 % |       – |     15.7 % | 11.3× |\n',
    )
    expect(formatFigures(results)).toMatch(/Decoding ran at 120-150 MB\/s\.$/)
  })

  it('does not hide a document that did not come back', () => {
    const [first] = results.savings
    const broken = first === undefined ? [] : [{ ...first, roundTripFailures: 1 }]
    expect(formatFigures({ ...results, savings: broken })).toContain('Not every document came back.')
  })
})

describe('the figures of the last full run', () => {
  const root = join(import.meta.dirname, '..', '..')
  const latest = JSON.parse(
    readFileSync(join(root, 'bench', 'results', 'latest.json'), 'utf8'),
  ) as BenchResults
  const readme = readFileSync(join(root, 'README.md'), 'utf8').replaceAll(/\s+/g, ' ')
  const find = (name: string): BenchResults['savings'][number] =>
    latest.savings.find(({ variant }) => variant === name)!
  const percent = (value: number, digits = 1): string => `${value.toFixed(digits)} %`

  it('are in docs/benchmark.md', () => {
    expect(readFileSync(join(root, 'docs', 'benchmark.md'), 'utf8')).toContain(formatFigures(latest))
  })

  it('are those that the README tells', () => {
    const { pooled, all, buckets } = find('dense-1')
    expect(readme).toContain(
      `${percent(pooled.net, 0)} fewer tokens over 90 real documents (${percent(all.net, 0)} for the average one) with the scheme \`dense-1\`, ${percent(find('glossary-1').pooled.net)} with`,
    )
    const [least, small, middle, large] = buckets.map(({ net }) => percent(net))
    expect(readme).toContain(
      `\`dense-1\` saves [${least} below 5 KB, ${small} to 15 KB, ${middle} to 60 KB, and ${large} above]`,
    )
  })

  it('are in the README beside those of the reading study', () => {
    const study = readFileSync(join(root, 'bench', 'results', 'reading.md'), 'utf8')
    const cells = (row: string): string[] => row.split('|').map((cell) => cell.trim())
    const prompts = study
      .split('\n')
      .map(cells)
      .filter(({ length }) => length === 7)
    const answers = study
      .split('\n')
      .filter((line) => cells(line).length === 8)
      .map(cells)
    expect(answers.slice(2).every((row) => row[6] === '' || row[6] === '0')).toBe(true)
    for (const name of ['sources', 'glossary-1', 'dense-1', 'max-1']) {
      const row = new RegExp(`\\| ${name}(?: \\(default\\))? \\|([^|]*\\|){4}`).exec(readme)![0]
      const [right] = answers.filter((answer) => answer[1] === name).map((answer) => answer[2])
      const [inStudy] = prompts.filter((prompt) => prompt[1] === name).map((prompt) => prompt[4])
      const saved = name === 'sources' ? '' : percent(find(name).pooled.net)
      expect(cells(row).slice(3, 6)).toEqual([saved, inStudy, right])
    }
  })
})
