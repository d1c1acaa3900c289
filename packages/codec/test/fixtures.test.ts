import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import * as codec from '../src/index.ts'
import { readFixtures, readJson } from './fixture-files.ts'
import { listCodes } from '../../../scripts/error-page.ts'
import type { FixtureError } from './runtimes/fixture-types.ts'
import { runFixtures } from './runtimes/run-fixtures.ts'

// Values of a wrong type are errors of a language, not of the format.
const codes = listCodes('packages/codec/src/errors.ts').flatMap(({ code }) =>
  code === 'wrong_type' ? [] : [code],
)

interface AnyCase {
  name: string
  section: string
  error?: FixtureError
  afterEnd?: FixtureError
}

const root = new URL('../', import.meta.url)
const files = readFixtures()
const spec = readFileSync(new URL('SPEC.md', root), 'utf8')
const cases = [...files.values()].flatMap((file): readonly AnyCase[] => file.cases)

test.each([...files])('%s passes', (_, file) => {
  const { cases: ran, failures } = runFixtures(codec, [file])
  expect(failures).toEqual([])
  expect(ran).toBeGreaterThan(0)
})

test.each([...files])('%s satisfies the schema, and each case has one outcome', (name, file) => {
  const schema = z.fromJSONSchema(readJson('fixtures.schema.json') as Parameters<typeof z.fromJSONSchema>[0])
  expect(schema.safeParse(readJson(name)).error).toBeUndefined()
  const outcomes =
    file.kind === 'parse'
      ? ['entries', 'error']
      : file.kind === 'serialize'
        ? ['header', 'error']
        : ['output', 'error']
  for (const one of file.kind === 'stream' ? [] : file.cases) {
    expect({ name: one.name, outcomes: Object.keys(one).filter((key) => outcomes.includes(key)) }).toEqual({
      name: one.name,
      outcomes: [expect.any(String)],
    })
  }
})

test('the schema refuses other shapes', () => {
  const schema = z.fromJSONSchema(readJson('fixtures.schema.json') as Parameters<typeof z.fromJSONSchema>[0])
  const one = { name: 'a', section: '3.1', header: 'x', entries: [] }
  const file = { $schema: '', kind: 'parse', about: '', cases: [one] }
  expect(schema.safeParse(file).success).toBe(true)
  expect(schema.safeParse({ ...file, cases: [] }).success).toBe(false)
  expect(schema.safeParse({ ...file, cases: [{ ...one, section: '3.x' }] }).success).toBe(false)
  expect(schema.safeParse({ ...file, cases: [{ ...one, heading: 'x' }] }).success).toBe(false)
})

test('names are unique', () => {
  for (const file of files.values()) {
    const names = file.cases.map(({ name }) => name)
    expect(names).toEqual([...new Set(names)])
  }
})

describe('SPEC.md', () => {
  const sections = new Set(
    [...spec.matchAll(/^(?:#{2,3} (\d+(?:\.\d+)?) |\*\*(\d+\.\d+)\*\*)/gm)].map(
      (match) => match[1] ?? match[2],
    ),
  )

  test('has every section that a fixture cites', () => {
    expect(cases.map(({ section }) => section).filter((section) => !sections.has(section))).toEqual([])
  })

  test('has every section that SPEC.md and the source cite', () => {
    const texts = globSync('src/**/*.ts', { cwd: root }).map((path) =>
      readFileSync(new URL(path, root), 'utf8'),
    )
    const cited = [spec, ...texts].flatMap((text) =>
      [...text.matchAll(/(?:sections? |SPEC\.md §)(\d+(?:\.\d+)?)/g)].map(([, section]) => section),
    )
    expect(cited.length).toBeGreaterThan(20)
    expect(cited.filter((section) => !sections.has(section))).toEqual([])
  })

  test('has a case for every rule of decoding, nesting and streaming', () => {
    const cited = new Set(cases.map(({ section }) => section))
    const rules = '2.2 2.3 3.1 3.2 3.3 3.4 3.5 4.1 4.2 4.3 4.6 5.1 5.2 6.1 6.2 6.3 7 15.3 15.5'.split(' ')
    expect(rules.filter((section) => !cited.has(section))).toEqual([])
  })

  test('lists every error code, with the maxima of the code', () => {
    const table = spec.slice(spec.indexOf('## 10 Errors'), spec.indexOf('## 11 '))
    const rows = [...table.matchAll(/^\| `(\w+)` +\|/gm)].map(([, code]) => code)
    expect(new Set(rows)).toEqual(new Set(codes))
    const maxima = '64 code points|4,096 code points|65,536|4,194,304 units|67,108,864 units'
    for (const maximum of maxima.split('|')) expect(spec).toContain(maximum)
  })

  test('has examples that decode as stated', () => {
    const rosetta = /^With `(\[DECODE\] [^`]+)`:$/m.exec(spec)![1]!.replaceAll('\\|', '|')
    const rows = [...spec.matchAll(/^\| `([^`]+)` +\| `([^`]+)` +\|/gm)].filter(
      (row) => row.index > spec.indexOf(rosetta),
    )
    const examples = rows.slice(0, 9).map(([, content, output]) => [content, output])
    expect(examples).toHaveLength(9)
    for (const [content, output] of examples) {
      const decoded = codec.decode(content!, rosetta)
      const [shown, cut] = output!.split('…')
      expect(cut === undefined ? decoded : decoded.slice(0, shown!.length)).toBe(shown)
    }
  })

  test('has examples of answers that are read as stated', () => {
    const section = spec.slice(spec.indexOf('### 4.6 '), spec.indexOf('## 5 '))
    const rosetta = /^With `(\[DECODE\] [^`]+)`/m.exec(section)![1]!
    const rows = [...section.matchAll(/^\| `([^`]+)` +\| `([^`]+)` +\|/gm)]
    expect(rows).toHaveLength(5)
    for (const [, answer, output] of rows) expect(codec.decodeAnswer(answer!, rosetta)).toBe(output)
  })
})

test('every error code has a fixture', () => {
  const errors = cases.flatMap((one) => [one.error?.code, one.afterEnd?.code])
  expect(codes.filter((code) => !errors.includes(code))).toEqual([])
  expect(errors.filter((code) => code !== undefined && !codes.includes(code))).toEqual([])
})
