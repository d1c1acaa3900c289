import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareItems } from '../src/compare-items.ts'

/** The fewest removed and added items, by the table of the longest common parts. */
function countFewest(before: readonly number[], after: readonly number[]): number {
  let row = after.map((_item, at) => at + 1)
  for (const [x, item] of before.entries())
    row = after.reduce<number[]>((next, other, y) => {
      const diagonal = y === 0 ? x : row[y - 1]!
      const least = 1 + Math.min(row[y]!, next[y - 1] ?? x + 1)
      return [...next, item === other ? diagonal : least]
    }, [])
  return row.at(-1) ?? before.length
}

it('finds the fewest changes, and gives both lists again, with any limit', () => {
  const list = fc.array(fc.nat(3), { maxLength: 12 })
  fc.assert(
    fc.property(list, list, fc.nat(24), fc.boolean(), (before, after, most, isEndFirst) => {
      const { parts, isWhole } = compareItems(before, after, most, isEndFirst)
      expect(parts.flatMap(({ same, removed }) => [...same, ...removed])).toEqual(before)
      expect(parts.flatMap(({ same, added }) => [...same, ...added])).toEqual(after)
      const changes = parts.flatMap(({ removed, added }) => [...removed, ...added]).length
      const fewest = countFewest(before, after)
      expect(isWhole).toBe(fewest > most)
      expect(isWhole || changes === fewest).toBe(true)
    }),
  )
})
