import { describe, expect, test } from 'vitest'
import { findMisleading, isLetterOrAcronym, listClearLetters } from '../../src/prompt/term-rules.ts'
import { FORMS_OF_ONE, foldLetter, LOOK_ALIKES } from '../../../../scripts/look-alikes.ts'
import { findOwnScripts } from '../../src/rosetta/term-scripts.ts'

describe('free letters', () => {
  const all = [...listClearLetters([], new Set())]

  test('are many, and all different', () => {
    expect(all.length).toBeGreaterThan(1500)
    expect(new Set(all).size).toBe(all.length)
  })

  test('are Han or Hangul, stable under NFKC, and no numerals, units or twins', () => {
    const excluded =
      '零〇百千万萬億兆年月日时時分秒歲号號番个個点點米章第柒捌년월일시분초원호번개명점장제만천백억조개게대데'
    for (const letter of all) {
      expect(letter).toMatch(/^[\p{Script=Han}\p{Script=Hangul}]$/u)
      expect(letter.normalize('NFKC')).toBe(letter)
      expect(excluded).not.toContain(letter)
    }
  })

  test('are never two that look alike', () => {
    const known = new Set(all)
    const rows = [...LOOK_ALIKES, ...FORMS_OF_ONE].map((row) =>
      Array.from(row).filter((letter) => known.has(letter)),
    )
    expect(rows.filter(({ length }) => length > 1)).toEqual([])
    const folded = [...Map.groupBy(all, foldLetter).values()]
    expect(folded.filter(({ length }) => length > 1)).toEqual([])
  })

  test('occur in no text, and are of no script that gives no terms', () => {
    const [first] = all
    expect([...listClearLetters(['', `a${first}b`], new Set())]).toEqual(all.slice(1))
    const korean = all.filter((letter) => /\p{Script=Hangul}/u.test(letter))
    expect([...listClearLetters([], new Set(['Han']))]).toEqual(korean)
    expect([...listClearLetters([], new Set(['Han', 'Hangul']))]).toEqual([])
  })
})

test.each(['漢', 'か', '글', 'ก', 'ML', 'MLA', 'K8s', 'État', 'C_x'])(
  '%s is a letter or an acronym',
  (term) => {
    expect(isLetterOrAcronym(term)).toBe(true)
  },
)

test.each(['§', '※', '①', '½', '5', 'x', 'é', '漢字', 'C++', '§ML', '8ML', '😀'])('%s is neither', (term) => {
  expect(isLetterOrAcronym(term)).toBe(false)
})

test('misleading are letters of the sources’ scripts, and acronyms that are words of a source in any case', () => {
  const sources = ['这是数据库。'.repeat(10), 'An ml model, HTML and 𐐁. An 한 too.']
  const terms = ['漢', '한', 'ML', 'TML', 'AN', '𐐁']
  expect(findMisleading(terms, sources, findOwnScripts(sources))).toEqual(
    new Set(['漢', '한', 'ML', 'AN', '𐐁']),
  )
  expect(findMisleading(terms, ['Plain text.'], new Set())).toEqual(new Set())
})
