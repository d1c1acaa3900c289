import { describe, expect, it, test } from 'vitest'
import { findDuplicateMember, serializePack } from '../../src/internal.ts'
import { PackError, parsePack } from '../../src/pack.ts'
import { samplePack } from '../../../test-kit/test/sign-pack.ts'

const text = serializePack(samplePack)
const before = (members: string): string => text.replace('{', `{${members},`)
const after = (members: string): string => text.replace(/\}\s*$/, `,${members}}`)

describe('a document that has a member twice is refused', () => {
  // prettier-ignore
  test.each([
    before('"title":"EVIL"'), after('"title":"EVIL"'), before('"title":"TLS"'), before('"content":"EVIL"'),
    before('"\\u0074itle":"EVIL"'), after('"ti\\u0074le":"EVIL"'), before('"\\u0074\\u0069\\u0074\\u006C\\u0065" : 1'),
    before('"signatures":[{"a":1,"b":{"c":2,"\\u0063":3}}]'), before('"x":{"__proto__":1,"__proto__":2}'),
    before('"x":[[{"":1,"y":[],"":2}]]'), before('"x":{"a\\\\":1,"a\\\\":2}'), before('"x":{"\\"":1,"\\u0022":2}'),
    before('"x":1,"x":2'), before('"é":1,"\\u00e9":2'), before('"\\ud83d\\ude42":1,"🙂":2'), before('"a\\/b":1,"a/b":2'),
    before('"title"\r\n\t :0'),
  ])('%#', (json) => {
    expect(() => JSON.parse(json) as unknown).not.toThrow()
    for (const input of [json, new TextEncoder().encode(json)]) {
      const parse = (): unknown => parsePack(input)
      expect(parse).toThrow(PackError)
      expect(parse).toThrow(/^The pack has two members with the name "/)
    }
  })
})

// prettier-ignore
test.each([
  text, before('"x":[{"a":1},{"a":2}]'), before('"x":{"a":{"a":{"a":"a"}}}'), before('"x":["a","a","a:","\\"a\\":"]'),
  before('"x":"\\",\\"title\\":"'), before('"Title":1,"tit le":2'), before('"x":{"e\\u0301":1,"é":2}'), before('"x":"\\\\"'),
])('a document without one is read: %#', (json) => {
  expect(parsePack(json)).toEqual(parsePack(text))
})

it('is found in time in proportion to the text', () => {
  // prettier-ignore
  const texts = [
    `"${'\\\\'.repeat(500_000)}"`, `"${'\\"'.repeat(500_000)}"`, `${'['.repeat(500_000)}${']'.repeat(500_000)}`, `{"a":${' '.repeat(1_000_000)}1}`,
    `[${'"a",'.repeat(300_000)}1]`, `{${Array.from({ length: 100_000 }, (_, at) => `"${at}":1`).join()}}`, '1', '"a"', 'null',
  ]
  expect(texts.map(findDuplicateMember)).toEqual(texts.map(() => undefined))
})
