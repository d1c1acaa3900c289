import { expect, it } from 'vitest'
import { showHidden } from '../../src/html/show-hidden.ts'

it.each([
  ['a\u202Eb\u2069', 'a[U+202E]b[U+2069]'],
  ['\u202A\u202B\u202C\u202D\u2066\u2067\u2068', '[U+202A][U+202B][U+202C][U+202D][U+2066][U+2067][U+2068]'],
  ['a\u061Cb', 'a[U+061C]b'],
  ['עברית \u200F, 日本語 & <b>', 'עברית \u200F, 日本語 & <b>'],
])('%j is shown as %j', (text, shown) => {
  expect(showHidden(text)).toBe(shown)
})
