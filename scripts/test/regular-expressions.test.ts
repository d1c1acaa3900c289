import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { KINDS } from '../regular-expressions/attack-texts.ts'
import { StepCounter } from '../regular-expressions/count-steps.ts'
import { BOUNDED, BUILT } from '../regular-expressions/exceptions.ts'
import { listExpressions, readExpressions } from '../regular-expressions/list-expressions.ts'
import { measureGrowth } from '../regular-expressions/measure-growth.ts'

/** Most steps for twice the text, as a factor. Linear work is 2. */
const MOST_GROWTH = 2.2

const expressions = listExpressions()

describe('regular expressions of the source', () => {
  // The steps of a backtracking machine are counted, not the time that they take.
  it.each([...readdirSync('packages').map((name) => `packages/${name}/`), 'scripts/'])(
    'take at most 2.2 times the steps for twice the text: %s',
    (folder) => {
      const literals = new Map(
        expressions.flatMap(({ file, code, literal }) =>
          literal !== undefined && file.startsWith(folder) && !BOUNDED.has(code)
            ? [[code, { file, literal }]]
            : [],
        ),
      )
      const built = [...BUILT].flatMap(([file, patterns]) => (file.startsWith(folder) ? patterns : []))
      const all = [...literals].map(([code, { file, literal }]) => ({ name: `${file} ${code}`, ...literal }))
      for (const { source, flags } of built) all.push({ name: source, source, flags })
      const slow = all.flatMap(({ name, source, flags }) => {
        const growth = measureGrowth(source, flags)
        if (growth === undefined) return []
        const isLinear =
          growth.factor <= MOST_GROWTH && growth.countSteps(4_000) <= MOST_GROWTH * growth.countSteps(2_000)
        return isLinear
          ? []
          : [`${name} grows ${growth.factor.toFixed(1)} times, on ${JSON.stringify(growth.text)}`]
      })
      expect(slow).toEqual([])
    },
    120_000,
  )

  it('are literals, but for places that name what they build', () => {
    const built = Map.groupBy(
      expressions.filter(({ literal }) => literal === undefined),
      ({ file }) => file,
    )
    const counts = [...built].map(([file, found]) => [file, found.length])
    expect(Object.fromEntries(counts)).toEqual(
      Object.fromEntries([...BUILT].map(([file, patterns]) => [file, patterns.length])),
    )
  })

  it('name only exceptions that still exist and are slow on long texts', () => {
    const codes = new Set(expressions.map(({ code }) => code))
    const growths = [...BOUNDED.keys()].filter((code) => {
      const found = expressions.find((one) => one.code === code)?.literal
      return codes.has(code) && measureGrowth(found!.source, found!.flags, MOST_GROWTH)!.factor > MOST_GROWTH
    })
    expect(growths).toEqual([...BOUNDED.keys()])
  })
})

describe('readExpressions', () => {
  it('finds literals, calls, and texts that a method of strings makes an expression of', () => {
    const text =
      'const a = /x+/g\nconst b = new RegExp(a)\n"s".match("x+"), "s".search(`${a}`), [1].match(2), RegExp("y")\n'
    expect(
      readExpressions('a.ts', text).map(({ line, code, literal }) => [line, code, literal?.flags]),
    ).toEqual([
      [1, '/x+/g', 'g'],
      [2, 'new RegExp(a)', undefined],
      [3, '"s".match("x+")', undefined],
      [3, '"s".search(`${a}`)', undefined],
      [3, 'RegExp("y")', undefined],
    ])
  })
})

describe('StepCounter', () => {
  it.each([
    [/\s*\n/, 4],
    [/a\s+$/g, 2],
    [/^\s+x/, 2],
    [/<!--[^]*?-->/g, 2],
  ])('counts the steps of %s on white space', (pattern, growth) => {
    const counter = new StepCounter(pattern.source, pattern.flags)
    const [steps, more] = [200, 400].map((size) => counter.count(' '.repeat(size)).steps)
    expect(more! / steps!).toBeCloseTo(growth, 1)
  })

  it('gives up where the steps grow exponentially', () => {
    expect(new StepCounter('^(?:a|a)*b', '').count('a'.repeat(500), 1_000_000).steps).toBe(Infinity)
  })

  it('finds what the engine finds', () => {
    const texts = KINDS.flatMap((one) => [`${one}a ${one}${one}b`, `# ${one}${one}\n"${one}"`])
    const different: unknown[] = []
    for (const { literal } of expressions) {
      if (literal === undefined) continue
      const counter = new StepCounter(literal.source, literal.flags)
      // The machine counts code points where the expression reads them, and tries a sticky one at each place.
      if (counter.isUnicode || literal.flags.includes('y')) continue
      const pattern = new RegExp(literal.source, literal.flags)
      for (const text of texts) {
        pattern.lastIndex = 0
        const found = pattern.exec(text)
        const [start = -1, end = -1] = counter.count(text).match ?? []
        const isFound = start === (found?.index ?? -1) && end - start === (found?.[0].length ?? 0)
        if (!isFound) different.push([literal.source, text, start, end])
      }
    }
    expect(different).toEqual([])
  })
})
