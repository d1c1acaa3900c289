import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { gradeByRule } from '../../src/grading/grade-by-rule.ts'
import { parseQuestions } from '../../src/questions/read-questions.ts'
import type { Question, QuestionKind } from '../../src/types.ts'

type Reader = 'right' | 'wrong'
type Case = readonly [kind: QuestionKind, expected: string | readonly string[], given: string, reader: Reader]

const SENTENCE = "The pump must not be started before the valve is open for 75 s, at the sender's expense."
const TABLE: Readonly<Record<string, string>> = {
  identifier: 'Which code does the service report for a body that differs from that of VR-M-121?',
  quote: 'Quote the sentence that says when the pump may be started.',
}

/** What a careful reader says about an answer. The first of several expected answers is the answer. */
const CASES: readonly Case[] = [
  // numbers and units
  ['number', '75 s', '75 seconds', 'right'],
  ['number', '75 s', '75s', 'right'],
  ['number', '75 s', '75 (seconds)', 'right'],
  ['number', '75 s', '75 min', 'wrong'],
  ['number', '75 s', '75 ms', 'wrong'],
  ['number', '75 s', '75', 'right'],
  ['number', '75 s', '1.25 minutes', 'right'],
  ['number', '110 minutes', '1.8 hours', 'wrong'],
  ['number', '6400 ms', '6.4 s', 'right'],
  ['number', '1.5 V', '15 V', 'wrong'],
  ['number', '1.5 V', '1.50 V', 'right'],
  ['number', '1.5 V', '1,5 V', 'right'],
  ['number', '-5 °C', '5 °C', 'wrong'],
  ['number', '5 °C', '−5 °C', 'wrong'],
  ['number', '-5 °C', '–5 °C', 'right'],
  ['number', '6 hours', 'not 6 hours', 'wrong'],
  ['number', '6 hours', '6 to 8 hours', 'wrong'],
  ['number', '6 hours', '6–8 hours', 'wrong'],
  ['number', '6 hours', '6 hours or 8 hours', 'wrong'],
  ['number', '6 hours', '6 or 8 hours', 'wrong'],
  ['number', '6 hours', '6 hours, 8 hours', 'wrong'],
  ['number', '6 hours', '8 hours (not 6 hours)', 'wrong'],
  ['number', '6 hours', 'Of 4, 6 and 8 hours it is 6 hours.', 'right'],
  ['number', '6 hours', 'less than 6 hours', 'wrong'],
  ['number', ['6 hours', 'more than 6 hours'], 'Older than 6 hours', 'right'],
  ['number', '6 hours', 'Six hours.', 'right'],
  ['number', '6 hours', 'sixteen hours', 'wrong'],
  ['number', '6 hours', 'twenty-six hours', 'wrong'],
  ['number', '6 hours', '6 days', 'wrong'],
  ['number', '6 hours', '6 working hours', 'wrong'],
  ['number', '54 hours', '54 hours (Little Mag)', 'right'],
  ['number', '12,500 marks', '12500 marks', 'right'],
  ['number', '12,500 marks', '12 500 marks', 'right'],
  ['number', '12,500 marks', "12'500 marks", 'right'],
  ['number', '12,500 marks', '1,250 marks', 'wrong'],
  ['number', '12.5 marks', '12,500 marks', 'wrong'],
  ['number', '12,500 marks', '12.500 marks', 'right'],
  ['number', '12.5 marks', '12.500 marks', 'right'],
  ['number', '5,500 ml', '5, 500 ml', 'wrong'],
  ['number', '2,500,000 marks', '2.5 million marks', 'right'],
  ['number', '2,500,000 marks', '2.5 billion marks', 'wrong'],
  ['number', '€1,190', '1190 EUR', 'right'],
  ['number', '€1,190', '€1190', 'right'],
  ['number', '€1,190', '1,190 euros', 'right'],
  ['number', '€1,190', '$1,190', 'wrong'],
  ['number', '€1,190', '€1,109', 'wrong'],
  ['number', '15 per cent', '15%', 'right'],
  ['number', '15 per cent', '51 %', 'wrong'],
  ['number', '15 per cent', '15 percentage points', 'wrong'],
  ['number', '5 mW', '5 MW', 'wrong'],
  ['number', '64 KiB', '64 kB', 'wrong'],
  ['number', '1 GiB', '1024 MiB', 'right'],
  ['number', '60 MiB per second', '60MiB/s', 'right'],
  ['number', '60 MiB per second', '60 MiB per minute', 'wrong'],
  ['number', '33.33 %', '33.3 %', 'right'],
  ['number', '275 pell', '257 pell', 'wrong'],
  ['number', '275 pell', '275 crowns', 'wrong'],
  ['number', '10²', '102', 'wrong'],
  ['number', '5 m²', '5 m2', 'right'],
  ['number', '5"', "5'", 'wrong'],
  ['number', ['240 seconds', '240', '4 minutes'], '4', 'wrong'],
  ['number', ['240 seconds', '240', '4 minutes'], '5 minutes', 'wrong'],
  ['number', ['240 seconds', '240', '4 minutes'], '420', 'wrong'],
  ['number', '410 g and 430 g', '410 g; 430 g', 'right'],
  ['number', '410 g and 430 g', '430 g', 'wrong'],
  ['fact', '4.2', '4.20', 'wrong'],
  ['fact', '4.2', '4.3', 'wrong'],
  ['fact', '21:00', '9:00', 'wrong'],
  ['fact', '21:00', '9 pm', 'right'],
  ['fact', '2026-11-28', '28-11-2026', 'right'],
  // identifiers
  ['identifier', 'TW-4092', '`TW-4092`.', 'right'],
  ['identifier', 'TW-4092', 'TW-4093', 'wrong'],
  ['identifier', 'TW-4092', 'TW-409', 'wrong'],
  ['identifier', 'TW-4092', 'TW-40921', 'wrong'],
  ['identifier', 'TW-4092', 'TW 4092', 'right'],
  ['identifier', 'TW-4092', 'tw-4092', 'right'],
  ['identifier', 'TW-4092', 'The service reports TW-4092.', 'right'],
  ['identifier', 'TW-4092', 'The code is TW-4092', 'right'],
  ['identifier', 'TW-4092', 'TW-4092 (body differs)', 'right'],
  ['identifier', 'TW-4092', 'not TW-4092', 'wrong'],
  ['identifier', 'TW-4092', 'The service never reports TW-4092', 'wrong'],
  ['identifier', 'TW-4092', "The code isn't TW-4092", 'wrong'],
  ['identifier', 'TW-4092', 'TW-4092 or TW-4093', 'wrong'],
  ['identifier', 'TW-4092', 'TW-4092/TW-4093', 'wrong'],
  ['identifier', 'TW-4092', 'TW-4092 and VR-M-121', 'wrong'],
  ['identifier', 'TW-4092', 'TW-4093, formerly TW-4092', 'wrong'],
  ['identifier', 'TW-4092', 'any code other than TW-4092', 'wrong'],
  ['identifier', 'TW-4092', 'VR-M-121', 'wrong'],
  ['identifier', 'TW-0092', 'TW-92', 'right'],
  ['identifier', 'hard_throttle', 'soft_throttle', 'wrong'],
  ['identifier', 'hard_throttle', 'hardThrottle', 'wrong'],
  ['identifier', '__init__', 'init', 'wrong'],
  ['identifier', 'reserveCompat()', 'reserveCompat', 'right'],
  ['identifier', 'reserveCompat()', 'holdCompat()', 'wrong'],
  ['identifier', ['SE-12', 'exception SE-12 of 2020'], '2020', 'wrong'],
  ['identifier', '7435', '7436', 'wrong'],
  ['identifier', '7435', 'port 7435', 'right'],
  ['identifier', 'plover', 'stoat', 'wrong'],
  ['two-places', 'ORDER-88213', 'ORDER-88231', 'wrong'],
  // quotes
  ['quote', SENTENCE, `“${SENTENCE}”`, 'right'],
  ['quote', SENTENCE, `The sentence is: "${SENTENCE}"`, 'right'],
  ['quote', SENTENCE, SENTENCE.replace("'", '’').replace(', at', ' at').toLowerCase(), 'right'],
  ['quote', SENTENCE, SENTENCE.replace(' not', ''), 'wrong'],
  ['quote', SENTENCE, SENTENCE.replace('is open', 'is not open'), 'wrong'],
  ['quote', SENTENCE, SENTENCE.replace('75', '76'), 'wrong'],
  ['quote', SENTENCE, SENTENCE.replace('75 s', '75 S'), 'wrong'],
  ['quote', SENTENCE, SENTENCE.replace('75', '-75'), 'wrong'],
  ['quote', SENTENCE, SENTENCE.replace('must', 'may'), 'wrong'],
  ['quote', SENTENCE, SENTENCE.replace('open', 'unopen'), 'wrong'],
  ['quote', SENTENCE, SENTENCE.slice(0, 50), 'wrong'],
  ['quote', SENTENCE, SENTENCE.slice(4), 'wrong'],
  ['quote', `When ${SENTENCE}`, SENTENCE, 'wrong'],
  ['quote', SENTENCE, `The document never says "${SENTENCE}"`, 'wrong'],
  ['quote', SENTENCE, 'Open the valve first, and wait 75 s; then start the pump.', 'wrong'],
  ['quote', SENTENCE, 'You may start it when the valve has been open for some time.', 'wrong'],
  ['quote', SENTENCE, `${SENTENCE} If it was, call the operator.`, 'wrong'],
  // texts, conditions and lists
  ['fact', 'Lantern', 'lantern', 'right'],
  ['fact', 'Lantern', 'Not Lantern', 'wrong'],
  ['fact', 'the copper kettle', 'Copper kettle', 'right'],
  ['fact', 'US', 'us', 'wrong'],
  ['fact', 'Mg', 'mg', 'wrong'],
  ['fact', 'withheld', '"withheld"', 'right'],
  ['fact', 'withheld', 'unknown', 'wrong'],
  ['fact', 'none', 'not stated', 'wrong'],
  ['fact', 'unavailable', 'Not available.', 'right'],
  ['fact', 'Lantern', '', 'wrong'],
  ['fact', 'Lantern', ' \n\t', 'wrong'],
  ['fact', 'Lantern', '**.**', 'wrong'],
  ['fact', 'Lantern', 'Not stated in the document.', 'wrong'],
  ['fact', 'Lantern', 'I don’t know.', 'wrong'],
  ['fact', 'Lantern', 'Sorry, I cannot answer that.', 'wrong'],
  ['fact', 'Lantern', 'The document does not say.', 'wrong'],
  ['condition', 'If the valve is open.', 'The valve is open', 'right'],
  ['condition', 'If the valve is open', 'Only if the valve is not open', 'wrong'],
  ['condition', 'Unless the valve is open', 'If the valve is open', 'wrong'],
  [
    'condition',
    'Refused with TW-4092, nothing is booked',
    'Refused with TW-4092 and nothing is booked',
    'right',
  ],
  ['condition', ['Refused with TW-4092, nothing is booked', 'TW-4092'], 'Booked with TW-4092', 'wrong'],
  ['condition', 'It is refused', 'It is not refused', 'wrong'],
  ['count', 'heron, stoat and wren', 'heron, stoat, wren', 'right'],
  ['count', 'heron, stoat and wren', '- heron\n- stoat\n- wren', 'right'],
  ['count', 'heron, stoat and wren', 'heron; stoat; and wren', 'right'],
  ['count', 'heron, stoat and wren', 'heron, stoat or wren', 'wrong'],
  ['count', 'heron, stoat and wren', 'heron, stoat', 'wrong'],
  ['count', 'heron, stoat and wren', 'heron, stoat, wren, plover', 'wrong'],
  ['count', 'attic, barn; ostler', 'attic; barn, ostler', 'wrong'],
  ['count', '_mark, _layer', 'mark, layer', 'wrong'],
  ['count', '30 seconds, 4 minutes and 3 hours', '30 s, 4 min, 3 h', 'right'],
  ['count', '30 seconds, 4 minutes and 3 hours', '30 s, 4 min, 3 min', 'wrong'],
  ['count', '4', 'four', 'right'],
  ['count', '4', '5', 'wrong'],
  ['count', '4', 'There are 4, of 5.', 'right'],
  ['two-places', '20 minutes; level 4.2', '20 min and level 4.2', 'right'],
  ['two-places', '20 minutes; 6 minutes', '6 minutes; 20 minutes', 'wrong'],
]

function ask(kind: QuestionKind, expected: string | readonly string[]): Question {
  const [answer, ...accept] = [expected].flat() as [string, ...string[]]
  const evidence = [
    `The service reports ${answer} if the body differs; it never does so or VR-M-121 otherwise.`,
  ]
  return { id: 'a', doc: 'd', kind, question: TABLE[kind] ?? 'What is it?', answer, accept, evidence }
}

describe('beside a careful reader', () => {
  it.each(CASES)('%s %j: does not contradict %j being %s', (kind, expected, given, reader) => {
    expect([reader, undefined]).toContain(gradeByRule(ask(kind, expected), given))
  })

  it.each([
    ['right', 0.7],
    ['wrong', 0.3],
  ] as const)('decides a good part of what is %s', (wanted, share) => {
    const cases = CASES.filter(([, , , reader]) => reader === wanted)
    const decided = cases.filter(
      ([kind, expected, given]) => gradeByRule(ask(kind, expected), given) === wanted,
    )
    expect(decided.length / cases.length).toBeGreaterThan(share)
  })
})

test('reads a long answer in bounded time, and leaves it to the judge', () => {
  const question = ask('quote', SENTENCE)
  for (const filler of [' ', 'a', '"', '*', "'", '. ', '1,', '- ', '\n', 'the '])
    for (const length of [8000, 2 ** 20])
      expect(gradeByRule(question, `x${filler.repeat(length / filler.length)}x`)).not.toBe('right')
  expect(gradeByRule(question, `${SENTENCE} `.repeat(10_000))).toBeUndefined()
  expect(gradeByRule(ask('fact', 'x'), ' '.repeat(2 ** 20))).toBe('wrong')
})

describe('in the questions of the study of reading', () => {
  const questions = ['a', 'b'].flatMap((set) =>
    parseQuestions(readFileSync(`bench/reading/questions-${set}.json`, 'utf8'), 'q.json'),
  )

  it('takes every expected answer and accepted form for right', () => {
    const others = questions.filter((one) =>
      [one.answer, ...one.accept].some((form) => gradeByRule(one, form) !== 'right'),
    )
    expect(others).toEqual([])
  })

  it('takes no answer to another question for right, unless it is the same', () => {
    const found = questions.flatMap((one) =>
      questions.filter((other) => other !== one && gradeByRule(one, other.answer) === 'right'),
    )
    expect(found.map(({ answer }) => answer)).toEqual(['6 hours', '6 hours'])
  })

  it('never takes an answer for right with another digit, a sign or a `not`', () => {
    const wrong = questions.flatMap((one) => {
      const words = one.answer.split(' ')
      const changes = [
        ...words.map((_, at) => words.toSpliced(at, 0, 'not').join(' ')),
        ...[...one.answer.matchAll(/\d/g)].flatMap(({ 0: digit, index }) => {
          const [before, after] = [one.answer.slice(0, index), one.answer.slice(index + 1)]
          return [`${before}${(Number(digit) + 1) % 10}${after}`, `${before}-${digit}${after}`]
        }),
        ...(one.kind === 'quote' ? words.map((_, at) => words.toSpliced(at, 1).join(' ')) : []),
      ]
      return changes.filter((answer) => gradeByRule(one, answer) === 'right')
    })
    expect(wrong).toEqual([])
  })
})
