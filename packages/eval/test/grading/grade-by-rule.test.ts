import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { gradeByRule } from '../../src/grading/grade-by-rule.ts'
import { parseQuestions } from '../../src/questions/read-questions.ts'
import type { Question, QuestionKind } from '../../src/types.ts'

type Expected = string | readonly string[]
type Case = readonly [kind: QuestionKind, Expected, right: readonly string[], wrong: readonly string[]]

const SENTENCE = "The pump must not be started before the valve is open for 75 s, at the sender's expense."
const TABLE: Readonly<Record<string, string>> = {
  identifier: 'Which code does the service report for a body that differs from that of VR-M-121?',
  quote: 'Quote the sentence that says when the pump may be started.',
}

/** The answers that a careful reader takes for right and for wrong. The first of several expected answers is the answer. */
const CASES: readonly Case[] = [
  // numbers and units
  ['number', '75 s', ['75 seconds', '75s', '75 (seconds)', '75', '1.25 minutes'], ['75 min', '75 ms']],
  ['number', '110 minutes', [], ['1.8 hours']],
  ['number', '6400 ms', ['6.4 s'], []],
  ['number', '1.5 V', ['1.50 V', '1,5 V'], ['15 V']],
  ['number', '-5 °C', ['–5 °C'], ['5 °C']],
  ['number', '5 °C', [], ['−5 °C']],
  ['number', '6 hours', ['Of 4, 6 and 8 hours it is 6 hours.', 'Six hours.'], ['not 6 hours']],
  ['number', '6 hours', [], ['6 to 8 hours', '6–8 hours', '6 hours or 8 hours', '6 or 8 hours']],
  ['number', '6 hours', [], ['6 hours, 8 hours', '8 hours (not 6 hours)', 'less than 6 hours']],
  ['number', '6 hours', [], ['sixteen hours', 'twenty-six hours', '6 days', '6 working hours']],
  ['number', ['6 hours', 'more than 6 hours'], ['Older than 6 hours'], []],
  ['number', '54 hours', ['54 hours (Little Mag)'], []],
  ['number', '12,500 marks', ['12500 marks', '12 500 marks', "12'500 marks", '12.500 marks'], []],
  ['number', '12,500 marks', [], ['1,250 marks']],
  ['number', '12.5 marks', ['12.500 marks'], ['12,500 marks']],
  ['number', '5,500 ml', [], ['5, 500 ml']],
  ['number', '2,500,000 marks', ['2.5 million marks'], ['2.5 billion marks']],
  ['number', '€1,190', ['1190 EUR', '€1190', '1,190 euros'], ['$1,190', '€1,109']],
  ['number', '15 per cent', ['15%'], ['51 %', '15 percentage points']],
  ['number', '5 mW', [], ['5 MW']],
  ['number', '64 KiB', [], ['64 kB']],
  ['number', '1 GiB', ['1024 MiB'], []],
  ['number', '60 MiB per second', ['60MiB/s'], ['60 MiB per minute']],
  ['number', '33.33 %', ['33.3 %'], []],
  ['number', '275 pell', [], ['257 pell', '275 crowns']],
  ['number', '10²', [], ['102']],
  ['number', '5 m²', ['5 m2'], []],
  ['number', '5"', [], ["5'"]],
  ['number', ['240 seconds', '240', '4 minutes'], [], ['4', '5 minutes', '420']],
  ['number', '410 g and 430 g', ['410 g; 430 g'], ['430 g']],
  ['fact', '4.2', [], ['4.20', '4.3']],
  ['fact', '21:00', ['9 pm'], ['9:00']],
  ['fact', '2026-11-28', ['28-11-2026'], []],
  // identifiers
  ['identifier', 'TW-4092', ['`TW-4092`.', 'TW 4092', 'tw-4092', 'The service reports TW-4092.'], []],
  ['identifier', 'TW-4092', ['The code is TW-4092', 'TW-4092 (body differs)'], ['TW-4093', 'TW-409']],
  ['identifier', 'TW-4092', [], ['TW-40921', 'not TW-4092', 'The service never reports TW-4092']],
  ['identifier', 'TW-4092', [], ["The code isn't TW-4092", 'TW-4092 or TW-4093', 'TW-4092/TW-4093']],
  ['identifier', 'TW-4092', [], ['TW-4092 and VR-M-121', 'TW-4093, formerly TW-4092']],
  ['identifier', 'TW-4092', [], ['any code other than TW-4092', 'VR-M-121']],
  ['identifier', 'TW-0092', ['TW-92'], []],
  ['identifier', 'hard_throttle', [], ['soft_throttle', 'hardThrottle']],
  ['identifier', '__init__', [], ['init']],
  ['identifier', 'reserveCompat()', ['reserveCompat'], ['holdCompat()']],
  ['identifier', ['SE-12', 'exception SE-12 of 2020'], [], ['2020']],
  ['identifier', '7435', ['port 7435'], ['7436']],
  ['identifier', 'plover', [], ['stoat']],
  ['two-places', 'ORDER-88213', [], ['ORDER-88231']],
  // quotes
  ['quote', SENTENCE, [`“${SENTENCE}”`, `The sentence is: "${SENTENCE}"`], []],
  ['quote', SENTENCE, [SENTENCE.replace("'", '’').replace(', at', ' at').toLowerCase()], []],
  ['quote', SENTENCE, [], [SENTENCE.replace(' not', ''), SENTENCE.replace('is open', 'is not open')]],
  ['quote', SENTENCE, [], [SENTENCE.replace('75', '76'), SENTENCE.replace('75 s', '75 S')]],
  ['quote', SENTENCE, [], [SENTENCE.replace('75', '-75'), SENTENCE.replace('must', 'may')]],
  ['quote', SENTENCE, [], [SENTENCE.replace('open', 'unopen'), SENTENCE.slice(0, 50), SENTENCE.slice(4)]],
  ['quote', SENTENCE, [], [`The document never says "${SENTENCE}"`]],
  ['quote', SENTENCE, [], ['Open the valve first, and wait 75 s; then start the pump.']],
  ['quote', SENTENCE, [], ['You may start it when the valve has been open for some time.']],
  ['quote', SENTENCE, [], [`${SENTENCE} If it was, call the operator.`]],
  ['quote', `When ${SENTENCE}`, [], [SENTENCE]],
  // texts, conditions and lists
  ['fact', 'Lantern', ['lantern'], ['Not Lantern', '', ' \n\t', '**.**', 'Not stated in the document.']],
  ['fact', 'Lantern', [], ['I don’t know.', 'Sorry, I cannot answer that.', 'The document does not say.']],
  ['fact', 'the copper kettle', ['Copper kettle'], []],
  ['fact', 'US', [], ['us']],
  ['fact', 'Mg', [], ['mg']],
  ['fact', 'withheld', ['"withheld"'], ['unknown']],
  ['fact', 'none', [], ['not stated']],
  ['fact', 'unavailable', ['Not available.'], []],
  ['condition', 'If the valve is open.', ['The valve is open'], []],
  ['condition', 'If the valve is open', [], ['Only if the valve is not open']],
  ['condition', 'Unless the valve is open', [], ['If the valve is open']],
  [
    'condition',
    'Refused with TW-4092, nothing is booked',
    ['Refused with TW-4092 and nothing is booked'],
    [],
  ],
  ['condition', ['Refused with TW-4092, nothing is booked', 'TW-4092'], [], ['Booked with TW-4092']],
  ['condition', 'It is refused', [], ['It is not refused']],
  ['count', 'heron, stoat and wren', ['heron, stoat, wren', '- heron\n- stoat\n- wren'], []],
  ['count', 'heron, stoat and wren', ['heron; stoat; and wren'], ['heron, stoat or wren', 'heron, stoat']],
  ['count', 'heron, stoat and wren', [], ['heron, stoat, wren, plover']],
  ['count', 'attic, barn; ostler', [], ['attic; barn, ostler']],
  ['count', '_mark, _layer', [], ['mark, layer']],
  ['count', '30 seconds, 4 minutes and 3 hours', ['30 s, 4 min, 3 h'], ['30 s, 4 min, 3 min']],
  ['count', '4', ['four', 'There are 4, of 5.'], ['5']],
  ['two-places', '20 minutes; level 4.2', ['20 min and level 4.2'], []],
  ['two-places', '20 minutes; 6 minutes', [], ['6 minutes; 20 minutes']],
]

function ask(kind: QuestionKind, expected: Expected): Question {
  const [answer, ...accept] = [expected].flat() as [string, ...string[]]
  const evidence = [
    `The service reports ${answer} if the body differs; it never does so or VR-M-121 otherwise.`,
  ]
  return { id: 'a', doc: 'd', kind, question: TABLE[kind] ?? 'What is it?', answer, accept, evidence }
}

describe('beside a careful reader', () => {
  const cases = CASES.flatMap(([kind, expected, right, wrong]) => [
    ...right.map((given) => [kind, expected, given, 'right'] as const),
    ...wrong.map((given) => [kind, expected, given, 'wrong'] as const),
  ])

  it.each(cases)('%s %j: does not contradict %j being %s', (kind, expected, given, reader) => {
    expect([reader, undefined]).toContain(gradeByRule(ask(kind, expected), given))
  })

  it.each([
    ['right', 0.7],
    ['wrong', 0.3],
  ] as const)('decides a good part of what is %s', (wanted, share) => {
    const some = cases.filter(([, , , reader]) => reader === wanted)
    const decided = some.filter(
      ([kind, expected, given]) => gradeByRule(ask(kind, expected), given) === wanted,
    )
    expect(decided.length / some.length).toBeGreaterThan(share)
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
    expect(found.map(({ answer }) => answer)).toEqual(['15 minutes', '900 s'])
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
