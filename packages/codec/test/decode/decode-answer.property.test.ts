import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAnswerDecoder, decodeAnswer, listTerms } from '../../src/index.ts'
import { answerHeaders, answers, cut } from '../arbitraries.ts'
import { decodeAnswerLiterally } from '../reference-decoder.ts'
import { countRuns } from '../../../test-kit/test/count-runs.ts'

const places = fc.array(fc.nat(200), { maxLength: 12 })

describe('decodeAnswer', () => {
  test('matches a literal implementation of the rule', () => {
    let changed = 0
    fc.assert(
      fc.property(answers, answerHeaders, (answer, entries) => {
        const decoded = decodeAnswer(answer, { entries })
        changed += Number(decoded !== answer)
        expect(decoded).toBe(decodeAnswerLiterally(answer, entries))
      }),
      { numRuns: countRuns(400) },
    )
    expect(changed).toBeGreaterThan(countRuns(400) / 20)
  })

  test('replaces exactly what listTerms lists', () => {
    fc.assert(
      fc.property(answers, answerHeaders, (answer, entries) => {
        let end = answer.length
        let written = ''
        for (const { term, expansion, offset } of listTerms(answer, { entries }).toReversed()) {
          expect(answer.startsWith(term, offset)).toBe(true)
          written = expansion + answer.slice(offset + term.length, end) + written
          end = offset
        }
        expect(decodeAnswer(answer, { entries })).toBe(answer.slice(0, end) + written)
      }),
      { numRuns: countRuns(200) },
    )
  })

  test.each([
    ['Chinese', '数据库管理员负责备份。\n价格为 €5，见第 3 章。'],
    ['Japanese', 'データベースは 水 曜日に停止します。\n火 曜日は API を使います。'],
    ['Korean', '서버는 매일 백업합니다. API 를 호출하면 수 초 안에 답이 옵니다.'],
    ['Thai', 'ระบบจะสำรองข้อมูลทุกวัน ก ข API'],
  ])('leaves an answer in %s as it is, whatever the header', (_, text) => {
    const letters = [...new Set(text.match(/\p{L}/gu))].map((term) => ({ term, expansion: `<${term}>` }))
    expect(decodeAnswer(text, { entries: letters })).toBe(text)
  })
})

describe('createAnswerDecoder', () => {
  test('returns the result of decodeAnswer for every chunking, within every maxOutput', () => {
    const limits = fc.option(fc.nat(60), { nil: undefined })
    fc.assert(
      fc.property(answers, answerHeaders, places, limits, (answer, entries, ends, maxOutput) => {
        const options = maxOutput === undefined ? {} : { maxOutput }
        const whole = decodeAnswer(answer, { entries }, options)
        for (const chunks of [cut(answer, ends), answer.split('')]) {
          const { push, end } = createAnswerDecoder({ entries }, options)
          expect(chunks.map(push).join('') + end()).toBe(whole)
        }
      }),
      { numRuns: countRuns(400) },
    )
  })

  test('holds back at most a code point and half a pair', () => {
    fc.assert(
      fc.property(answers, answerHeaders, (answer, entries) => {
        const { push } = createAnswerDecoder({ entries }, { maxOutput: 0 })
        let given = 0
        for (const [at, unit] of answer.split('').entries()) {
          given += push(unit).length
          expect(at + 1 - given).toBeLessThanOrEqual(3)
        }
      }),
      { numRuns: countRuns(100) },
    )
  })
})
