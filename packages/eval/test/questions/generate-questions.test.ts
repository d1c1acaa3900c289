import { expect, it } from 'vitest'
import type { AskedModel } from '../../src/calls/ask-model.ts'
import type { Call, StoredAnswer } from '../../src/calls/call-store.ts'
import { generateQuestions } from '../../src/questions/generate-questions.ts'
import { checkQuestions, parseQuestions } from '../../src/questions/read-questions.ts'
import type { Question } from '../../src/types.ts'

const SLUG = 'x'.repeat(100)
const paragraph = (at: number): string => `Paragraph ${at} says that ${`pump ${at} runs, `.repeat(30)}always.`
/** Paragraphs with ends of lines as Windows writes them, then lines without a blank one between. */
const TEXT = [0, 1, 2, 3, 4, 5]
  .map((at) => `${paragraph(at)}\r\n`)
  .concat(
    Array.from({ length: 100 }, (_, at) => `Line ${at} of a table with many lines that belong together.`),
  )
  .join('\r\n')

it('asks about the whole document, and writes questions that a file of questions may have', async () => {
  const asked: string[] = []
  const questions = await generate(10, (passage) => {
    asked.push(passage)
    const evidence = passage.slice(0, 4500)
    return [{ kind: 'fact', question: `What is in ${asked.length}?`, answer: 'x', evidence, note: 'more' }]
  })
  expect(questions.length).toBeGreaterThan(4)
  expect(asked.join('')).toContain('Line 90 ')
  expect(asked.every((passage) => TEXT.includes(passage))).toBe(true)
  const read = parseQuestions(JSON.stringify(questions), 'q.json')
  expect(read).toEqual(questions)
  expect(checkQuestions(read, new Map([[SLUG, TEXT]]), 'q.json')).toEqual([])
})

it('takes no more than two questions about a passage, however many a model writes', async () => {
  const questions = await generate(6, (passage) =>
    Array.from({ length: 9 }, (_, at) => ({
      question: `What is ${at} in ${passage.slice(0, 12)}?`,
      answer: 'x',
      evidence: passage.slice(0, 12),
    })),
  )
  expect(new Set(questions.map(({ evidence }) => evidence[0])).size).toBe(3)
})

it('takes no question whose evidence is only white space or elsewhere', async () => {
  const replies = [' ', 'Nothing like this'].map((evidence) => ({
    question: 'What is?',
    answer: 'x',
    evidence,
  }))
  await expect(generate(2, () => replies)).rejects.toMatchObject({ code: 'endpoint_failed' })
})

const SMALL: AskedModel = { name: 'small', url: null, ask: () => Promise.reject(new Error('not asked')) }

function generate(wanted: number, reply: (passage: string) => unknown): Promise<readonly Question[]> {
  const run = async (calls: readonly Call[]): Promise<readonly StoredAnswer[]> =>
    calls.map(({ prompt: { user } }) => {
      const passage = JSON.parse(user.slice(user.lastIndexOf('\n') + 1)) as string
      return { text: JSON.stringify(reply(passage)) } as StoredAnswer
    })
  const totals = (): never => {
    throw new Error('not used')
  }
  return generateQuestions([{ slug: SLUG, text: TEXT, terms: [] }], wanted, SMALL, {}, { run, totals })
}
