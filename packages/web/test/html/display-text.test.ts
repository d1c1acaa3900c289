import { expect, it } from 'vitest'
import { detectLanguage, renderLangAttribute, escapeBidi } from '../../src/html/display-text.ts'

it.each([
  ['a\u202Eb\u2069', 'a[U+202E]b[U+2069]'],
  ['\u202A\u202B\u202C\u202D\u2066\u2067\u2068', '[U+202A][U+202B][U+202C][U+202D][U+2066][U+2067][U+2068]'],
  ['a\u061Cb', 'a[U+061C]b'],
  ['עברית \u200F, 日本語 & <b>', 'עברית \u200F, 日本語 & <b>'],
])('escapes bidirectional controls: %j becomes %j', (text, shown) => {
  expect(escapeBidi(text)).toBe(shown)
})

it.each([
  ['家庭の地震防災ガイド', 'ja'],
  ['カタカナ', 'ja'],
  ['TLS 証明書の運用', 'ja'],
  ['中国茶入门：从绿茶到普洱', 'zh'],
  ['憲法', 'zh'],
  ['대한민국 헌법 (憲法)의 기본 원리', 'ko'],
  ['Kubernetes 업그레이드', 'ko'],
])('detects the language of %s: %s', (text, language) => {
  expect(detectLanguage(text)).toBe(language)
})

// prettier-ignore
const texts = [
  '', 'TLS basics', 'Le thé', 'דוגמה', 'Безопасность', '123', 'A guide to the character 漢 and its history',
]
it.each(texts)('detects no language in %j', (text) => {
  expect(detectLanguage(text)).toBeUndefined()
})

it('looks at the beginning only', () => {
  expect(detectLanguage(`${'word '.repeat(400)}${'字'.repeat(10_000)}`)).toBeUndefined()
})

it('renders the attribute if the language is known', () => {
  const mark = renderLangAttribute('中国茶')
  expect(String(mark)).toBe('lang="zh"')
  expect(renderLangAttribute('tea')).toBe(false)
  const around = renderLangAttribute('憲法', '日本国憲法の前文')
  expect(String(around)).toBe('lang="ja"')
  expect(renderLangAttribute('law', '日本国憲法の前文')).toBe(false)
})
