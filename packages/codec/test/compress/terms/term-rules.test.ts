// The rules for terms that nobody misreads, SPEC.md section 8.6.
import { describe, expect, it } from 'vitest'
import { compress } from '../../../src/compress/compress.ts'
import '../../load-o200k-base.ts'
import { LETTERS } from '../../../src/compress/terms/term-lists.ts'
import { foldLetter, FORMS_OF_ONE, LOOK_ALIKES } from '../../../../../scripts/look-alikes.ts'

const terms = Array.from(LETTERS)

const TWINS =
  '개게 내네 대데 새세 애에 재제 왜외웨 ' +
  'オ才 チ千 べベペ あア かガカ るろ 気气氣 說説说 発發 間問 พฟ ขช คศ 가까카 자차 오요 강감 ' +
  '口ロ囗 力カ刀 エ工 土士 二ニ 八ハ 夕タ 日曰 へヘ つっ ツシ ンソ'

/** Writes lines that repeat `phrase` between different words. */
const repeat = (phrase: string): string =>
  Array.from({ length: 40 }, (_, line) => `Word${line} ${phrase} mark${line}.`).join('\n')

describe('rules for terms that nobody misreads', () => {
  it('T1: no term changes under NFKC', () => {
    expect(terms.filter((term) => term.normalize('NFKC') !== term)).toEqual([])
  })

  it.each(TWINS.split(' '))('T4: one of %s at most is a term', (twins) => {
    expect(terms.filter((term) => twins.includes(term)).length).toBeLessThanOrEqual(1)
  })

  it('T4: no two letters are of one family, over all pairs', () => {
    const rows = [...FORMS_OF_ONE, ...LOOK_ALIKES].map((row) => new Set(row))
    const families = [
      ...rows.map((row) => terms.filter((term) => row.has(term))),
      ...Map.groupBy(terms, foldLetter).values(),
    ]
    expect(families.filter((family) => family.length > 1)).toEqual([])
  })

  it.each(['dense-2', 'max-2'] as const)('T7: %s has no entry for punctuation with quotes', (scheme) => {
    const text = Array.from({ length: 90 }, (_, at) => `A${at}; ; "b${at}", "c${at}" ’ “d${at}`).join('\n')
    const { entries } = compress(text, { scheme, worthHeader: { percent: 0, tokens: 0 } })
    expect(entries.filter(({ expansion }) => /^[ ,;"’“]+$/.test(expansion))).toEqual([])
  })

  it('T7: dense-2 has no entry for a bare number', () => {
    const text = repeat('8443211') + repeat('31,415.926')
    const isNumber = ({ expansion }: { expansion: string }): boolean => /^[\d\s.,]+$/.test(expansion)
    expect(compress(text, { scheme: 'dense-2' }).entries.filter(isNumber)).toEqual([])
    expect(compress(text, { scheme: 'dense-2' }).entries.length).toBeGreaterThan(0)
  })

  it('T8: a term is one letter of Han, kana, Hangul or Thai, and joins with no digit', () => {
    const letter = /^(?=\p{L}$)[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}]$/u
    expect(terms.filter((term) => !letter.test(term))).toEqual([])
    expect(terms.filter((term) => '一二三百千万億年月日時分円元个個年월일시원번호'.includes(term))).toEqual(
      [],
    )
  })

  it('T12: dense-2 leaves headings whole, max-2 may change them', () => {
    const title = 'Rotation of client certificates'
    const text = Array.from({ length: 40 }, (_, at) => `## ${title} ${at}\n\nMark ${at} of them.\n`).join(
      '\n',
    )
    const { content } = compress(text, { scheme: 'dense-2', worthHeader: { percent: 0, tokens: 0 } })
    expect(content.split(`## ${title} `)).toHaveLength(41)
    expect(compress(text, { scheme: 'max-2' }).content).not.toContain(`## ${title} 7\n`)
  })
})
