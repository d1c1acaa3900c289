import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { html, trustMarkup, type HtmlValue } from '../src/html.ts'

describe('html', () => {
  it('escapes text in elements and attributes', () => {
    const text = `<script>"&amp;"</script> 'x'`
    expect(String(html`<p title="${text}">${text}</p>`)).toBe(
      '<p title="&lt;script&gt;&quot;&amp;amp;&quot;&lt;/script&gt; &#39;x&#39;">&lt;script&gt;&quot;&amp;amp;&quot;&lt;/script&gt; &#39;x&#39;</p>',
    )
  })

  it('does not escape nested templates and trusted markup again', () => {
    const inner = html`<b>${'a & b'}</b>`
    expect(String(html`<p>${inner}${trustMarkup('<i>&amp;</i>')}</p>`)).toBe(
      '<p><b>a &amp; b</b><i>&amp;</i></p>',
    )
  })

  it('writes arrays of any depth item by item', () => {
    const items = ['<', html`<br />`, [1, [null, '>']]]
    expect(String(html`${items}`)).toBe('&lt;<br />1&gt;')
  })

  it.each([true, false, null, undefined, ''])('writes nothing for %j', (value) => {
    expect(String(html`[${value}]`)).toBe('[]')
  })

  it('writes zero', () => {
    expect(String(html`${0} ${-1.5}`)).toBe('0 -1.5')
  })

  it('refuses an object that only claims to be markup', () => {
    const forged = JSON.parse('[{"isEscaped":true}]') as HtmlValue[]
    expect(() => html`${forged}`).toThrow(TypeError)
  })

  it('keeps any text inside its element or attribute, and loses none of it', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', ';', 'amp', 'lt', '#39', 'a') }),
    )
    fc.assert(
      fc.property(text, text, (first, second) => {
        const markup = String(html`<a title="${first}">${[second]}</a>`)
        const [, title, content] = /^<a title="([^<>"']*)">([^<>"']*)<\/a>$/.exec(markup) ?? []
        expect([unescape(title), unescape(content)]).toEqual([first, second])
      }),
    )
  })
})

/** Reads character references as a browser does; each ampersand must begin one. */
function unescape(markup = '&'): string {
  const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
  return markup.replace(/&(?:([a-z0-9#]+);)?/g, (_all, name: string) => characters[name] ?? '(broken)')
}
