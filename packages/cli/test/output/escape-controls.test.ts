import { expect, it } from 'vitest'
import { escapeControls } from '../../src/output/escape-controls.ts'

it.each([
  ['a\nb\r\tc', 'a\\nb\\r\\tc'],
  ['\u001B[31m\u007F\u009B', '\\u001b[31m\\u007f\\u009b'],
  ['\u2028\u202Egpj.\u2066', '\\u2028\\u202egpj.\\u2066'],
  ['naïve – 中文 \\ 🙂', 'naïve – 中文 \\ 🙂'],
])('writes %j on one line', (text, shown) => {
  expect(escapeControls(text)).toBe(shown)
})
