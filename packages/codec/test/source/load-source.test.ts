import { expect, it } from 'vitest'
import { parseSource } from '../../src/pack.ts'
import { loadSource } from '../../src/source/load-source.ts'

const TEXTS = {
  'no front matter': '# TLS\n\nText.\n',
  'a byte order mark': '\uFEFF# TLS\n',
  'an empty file': '',
  YAML: '---\nslug: tls\n---\n# TLS\n',
  'YAML behind a byte order mark': '\uFEFF---\nslug: tls\n---\n# TLS\n',
  TOML: '+++\nslug = "tls"\n+++\n# TLS\n',
  JSON: '{\n"slug": "tls"\n}\n# TLS\n',
  'a wrong value': '---\nslug: No Slug\n---\n# TLS\n',
  'a horizontal rule': '---\n\n# TLS\n',
  'an unclosed fence': '---\nslug: tls\n',
  'a fence that does not open': '----\nslug: tls\n---\n',
  'a brace of MDX': '{/* note */}\n# TLS\n',
} as const

it.each(Object.entries(TEXTS))('parses %s as parseSource does, from text and bytes', async (_, text) => {
  const expected = parseSource(text, { path: 'tls.md' })
  expect(await loadSource(text, { path: 'tls.md' })).toEqual(expected)
  expect(await loadSource(new TextEncoder().encode(text), { path: 'tls.md' })).toEqual(expected)
})

it('reports bytes that are not UTF-8, also as the first', async () => {
  const { source, messages } = await loadSource(new Uint8Array([0xff, 0x2d]), { path: 'tls.md' })
  expect(source).toBeUndefined()
  expect(messages.map(({ ruleId }) => ruleId)).toEqual(['invalid-utf8'])
})
