import { stripVTControlCharacters, styleText } from 'node:util'
import { expect, it } from 'vitest'
import { formatResult } from '../../src/report/describe-result.ts'
import type { EvalResult, Host } from '../../src/types.ts'
import { makeArm, makeFigures, makeResult } from './made-up-result.ts'

const output: Pick<Host, 'columns' | 'formatTable' | 'styleResult' | 'escapeControls'> = {
  columns: 100,
  formatTable: (headings, rows) => [headings, ...rows].map((cells) => cells.join(' | ')),
  styleResult: (_, text) => text,
  escapeControls: (text) =>
    text.replaceAll(
      /[\p{Cc}\u202A-\u202E]/gu,
      (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
}

const format = (fields: Partial<EvalResult> = {}): string[] => formatResult(makeResult(fields), output)

it('shows a row for each scheme, and a second one where answers are undecided', () => {
  const lines = format()
  const at = lines.indexOf('scheme | verdict | >points | >95 % interval | >differ | >saved')
  expect(lines.slice(at + 1, at + 5)).toEqual([
    'minify-1 | as good | −0.4 | −3.1 to +2.2 | +3 −4 | 3.7 %',
    'dense-2 | too few questions | −2.6 | −6.1 to +0.8 | +4 −10 | 14.0 %',
    'dense-2 | undecided as wrong | −3.9 | −7.6 to −0.3 | +4 −13 | ',
    'max-2 | not tested | −7.3 | −11.7 to −3.7 | +2 −19 | 20.4 %',
  ])
})

it('shows what each arm answered, and what it cost', () => {
  const lines = format()
  expect(lines).toContain(
    'arm | >right | >undecided | >empty | >cut off | >with terms | >terms | >cost per right',
  )
  expect(lines).toContain('dense-2 | 210 of 232 | 3 | – | – | 4 | 6 | $0.00188')
  expect(lines).toContain('max-2 | 202 of 232 | – | 2 | 1 | – | – | $0.00188')
  expect(lines).toContain('source again | 1.27M | 1.02M | 18.4K | 96K | 1.2 | 3.5 | $0.412')
})

it('has no columns for what is unknown or none, and no arms that were not asked', () => {
  const tokens = { input: null, cached: null, output: null, reasoning: null }
  const unknown = { tokens, cost: null, cost_per_right: null, latency: null }
  const lines = format({
    arms: [makeArm('source', unknown), makeArm('dense-2', { ...unknown, same_prompt: true })],
    cost: null,
  })
  expect(lines).toContain('arm | >right')
  expect(lines).toContain('source | 219 of 232')
  expect(lines.join('\n')).not.toContain('dense-2 | 219')
  expect(lines.join('\n')).not.toMatch(/NaN|null|undefined/)
})

it('shows savings that are negative or unknown', () => {
  const lines = format({
    arms: [makeArm('source', { prompt_tokens: 100 }), makeArm('dense-2', { prompt_tokens: 104 })],
  })
  expect(lines.find((line) => line.startsWith('dense-2 | too few'))).toMatch(/ −4\.0 %$/)
  expect(lines.find((line) => line.startsWith('max-2 | not'))).toMatch(/ –$/)
})

it('has at most 45 lines of at most 100 columns, with many warnings and long names', () => {
  const lines = format({
    model: 'm'.repeat(500),
    returned: ['n'.repeat(500)],
    warnings: Array.from({ length: 40 }, () => 'a warning'),
  })
  expect(lines.length).toBeLessThanOrEqual(45)
  expect(lines.filter((line) => line.length > 100)).toEqual([])
  const long = format({ warnings: ['w'.repeat(500)] })
  expect(long.filter((line) => line.length > 100)).toEqual([])
  expect(lines.at(-1)).toBe('36 more warnings in the JSON')
})

it('escapes what an endpoint sends', () => {
  const hostile = 'gpt\u001B[2J\u202E\n::error::'
  const judge = { model: hostile, is_reader: false, controls: { asked: 0, accepted: 0 } }
  const text = format({ model: hostile, returned: [`${hostile}2`], judge, warnings: [hostile] }).join('')
  expect(text).not.toMatch(/[\p{Cc}\u202E]/u)
  expect(text.match(/gpt\\u001b\[2J\\u202e\\u000a::error::/g)).toHaveLength(4)
})

it('colors verdicts, and nothing else than the verdict', () => {
  const colored: typeof output = {
    ...output,
    styleResult: (style, text) => styleText(style, text, { validateStream: false }),
  }
  const worse = {
    ...makeResult().schemes[0]!,
    verdict: 'worse' as const,
    figures: makeFigures(0, 9, [-0.07, -0.02]),
  }
  const lines = formatResult(makeResult({ schemes: [worse] }), colored)
  const line = lines.find((text) => text.startsWith('minify-1: '))!
  expect(line).toContain(`${styleText('red', 'worse', { validateStream: false })} than the source`)
  expect(lines.map(stripVTControlCharacters)).toEqual(format({ schemes: [worse] }))
})
