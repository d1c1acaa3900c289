import { expect, it } from 'vitest'
import { splitBlocks } from '../../src/sections/split-blocks.ts'

const split = (text: string, most: number): string[] =>
  splitBlocks(text, most).map(({ start, end }) => text.slice(start, end))

it.each(['', '\n\n', '   '])('does not divide code, even if the text opens with it after %j', (space) => {
  const code = `${space}\`\`\`sh\n${'deploy --now\n'.repeat(20)}\`\`\`\n\n`
  expect(split(`${code}Text.\n`, 60)).toEqual([code, 'Text.\n'])
})

it('divides long lists and texts at items and sentences', () => {
  expect(split('- One.\n- Two.\n- Three.\n', 4)).toEqual(['- One.\n', '- Two.\n', '- Three.\n'])
  expect(split('One is here. Two is there.', 4)).toEqual(['One is here. ', 'Two is there.'])
})
