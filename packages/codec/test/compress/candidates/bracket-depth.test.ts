import fc from 'fast-check'
import { expect, it } from 'vitest'
import { numberBracketDepths } from '../../../src/compress/candidates/bracket-depth.ts'
import { lexUnits } from '../../../src/compress/text/lex-units.ts'

const CLOSERS = new Map(
  ['()', '[]', '{}', '<>', '“”', '「」'].map(([opening, closing]) => [opening!, closing!]),
)
const CLOSING = new Set(CLOSERS.values())
const QUOTES = new Set('`"*')

it('two boundaries have one number exactly if the text between them is balanced', () => {
  let balanced = 0
  const alphabets = ['()x', '()[]"x', '"*`()', '"*x ', '(){}[]<>“”「」"*`a ']
  const texts = fc.oneof(
    ...alphabets.map((letters) =>
      fc.array(fc.constantFrom(...Array.from(letters)), { minLength: 10, maxLength: 40 }),
    ),
  )
  fc.assert(
    fc.property(texts, (letters) => {
      const units = lexUnits(letters.join(''), new Int32Array(0), true)
      const numbers = numberBracketDepths(units)
      for (let begin = 0; begin < units.count; begin++) {
        for (let end = begin; end <= units.count; end++) {
          const isSame = numbers[begin] === numbers[end]
          expect(isSame).toBe(isBalanced(units.text.slice(units.starts[begin], units.starts[end])))
          if (isSame && end > begin + 1) balanced++
        }
      }
    }),
    { numRuns: 500 },
  )
  expect(balanced).toBeGreaterThan(500)
})

function isBalanced(text: string): boolean {
  const open: string[] = []
  for (const character of text) {
    const closer = CLOSERS.get(character)
    if (closer !== undefined) open.push(closer)
    else if (QUOTES.has(character) && open.at(-1) !== character) open.push(character)
    else if ((QUOTES.has(character) || CLOSING.has(character)) && open.pop() !== character) return false
  }
  return open.length === 0
}
