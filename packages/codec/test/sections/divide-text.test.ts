import { expect, it } from 'vitest'
import { createDivider } from '../../src/sections/divide-text.ts'

const split = (text: string, most: number): string[] =>
  createDivider(text)
    .divide(most)
    .map(({ start, end }) => text.slice(start, end))

it.each(['', '\n\n', '   '])(
  'divides long code at lines, and no other, even if the text opens with it after %j',
  (space) => {
    const code = `${space}\`\`\`sh\n${'deploy --now\n'.repeat(20)}\`\`\`\n\n`
    expect(split(`${code}Text.\n`, 400)).toEqual([code, 'Text.\n'])
    const parts = split(code, 60)
    expect(parts.join('')).toBe(code)
    expect(parts.slice(1, -1).every((part) => /^(?:deploy --now\n)+$/.test(part))).toBe(true)
  },
)

it('divides long lists and texts at items and sentences', () => {
  expect(split('- One.\n- Two.\n- Three.\n', 10)).toEqual(['- One.\n', '- Two.\n', '- Three.\n'])
  expect(split('One is here. Two is there.', 20)).toEqual(['One is here. ', 'Two is there.'])
})

it('divides long lines at words outside of what is kept, and no pair of surrogates', () => {
  expect(split('one two three four five six', 12).join('|')).toBe('one |two |three |four |five |six')
  const at = 9
  const kept = createDivider('aaaa bbbb cccc dddd').divide(8, [{ start: 2, end: at + 2 }])
  expect(kept.some(({ end }) => end > 2 && end < at + 2)).toBe(false)
  for (const part of split('🌰'.repeat(40), 9)) expect(part.isWellFormed()).toBe(true)
})

it('opens each fence that it closes, however little room there is', () => {
  const divider = createDivider(`One.\n\n\`\`\`js a long title\n${'call(now)\n'.repeat(9)}\`\`\`\n`)
  expect(divider.write(divider.divide(20).slice(-1), 0)).toBe('```\n[…]\ncall(now)\n```')
})
