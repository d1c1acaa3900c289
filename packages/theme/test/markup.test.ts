import { describe, expect, it } from 'vitest'
import { markup } from '../src/html.ts'

describe('markup', () => {
  it('escapes text but not markup', () => {
    const inner = markup`<b>${'<i>&"\''}</b>`
    expect(String(markup`<p>${inner}${[1, ' ', inner]}</p>`)).toBe(
      '<p><b>&lt;i&gt;&amp;&quot;&#39;</b>1 <b>&lt;i&gt;&amp;&quot;&#39;</b></p>',
    )
  })

  it.each([
    ['a direction override', '\u202E', 'U+202E'],
    ['a direction isolate', '\u2066', 'U+2066'],
    ['a direction mark', '\u200F', 'U+200F'],
    ['a zero-width space', '\u200B', 'U+200B'],
    ['a control character', '\u0007', 'U+0007'],
    ['a null', '\u0000', 'U+0000'],
    ['a carriage return', '\r', 'U+000D'],
    ['a C1 control character', '\u009B', 'U+009B'],
    ['a line separator', '\u2028', 'U+2028'],
    ['a byte order mark', '\uFEFF', 'U+FEFF'],
    ['a soft hyphen', '\u00AD', 'U+00AD'],
    ['a tag character', '\u{E0041}', 'U+E0041'],
  ])('shows %s by its code point', (_, character, name) => {
    expect(String(markup`${`a${character}b`}`)).toBe(`a<i class=x>${name}</i>b`)
  })

  it('keeps tabs, line feeds, joiners and combining characters', () => {
    const text = 'tab\tline\n👩‍🚀 क्ष שלום مرحبا 日本 e\u0301'
    expect(String(markup`${text}`)).toBe(text)
  })
})
