// The rules for terms that nobody misreads, SPEC.md section 8.6.
import { describe, expect, it } from 'vitest'
import { compress } from '../../../src/compress/index.ts'
import { PAIRS, SYMBOLS, TRIPLES } from '../../../src/compress/terms/term-lists.ts'

const terms = Array.from(SYMBOLS)

const FAMILIES =
  '─━—―ー一 ├┣ ·∙•・ °○。 ■█▮ ►▶ →⇒ 〈‹⟨く «《≪ 「『 ' +
  '개게 내네 대데 새세 애에 재제 왜외웨 ' +
  '口ロ囗 力カ刀 エ工 土士 二ニ 八ハ 夕タ 日曰 へヘ つっ ツシ ンソ'

/** Writes lines that repeat `phrase` between different words. */
const repeat = (phrase: string): string =>
  Array.from({ length: 40 }, (_, line) => `Word${line} ${phrase} mark${line}.`).join('\n')

describe('rules for terms that nobody misreads', () => {
  it('T1: no term changes under NFKC', () => {
    expect(terms.filter((term) => term.normalize('NFKC') !== term)).toEqual([])
    expect(terms).not.toContain('，')
    expect(terms).not.toContain('…')
  })

  it('T2: no term is written from right to left or changes the direction', () => {
    expect(SYMBOLS).not.toMatch(/[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}؟،؛\p{Bidi_Control}]/u)
  })

  it('T3: no term looks like an ASCII character', () => {
    expect(terms.filter((term) => '’‘“”′´‚‹›–−‐‑×│┃¦՝։∨'.includes(term))).toEqual([])
    expect(PAIRS + TRIPLES).toMatch(/^[A-Z]+$/)
  })

  it.each(FAMILIES.split(' '))('T4: one of %s at most is a term', (family) => {
    expect(terms.filter((term) => family.includes(term)).length).toBeLessThanOrEqual(1)
  })

  it('T5: outlined and filled forms differ, weights and sizes do not', () => {
    expect(terms).toEqual(expect.arrayContaining(['★', '☆', '▲', '△', '▼', '▽']))
    for (const family of ['★⭐', '☆✦', '□▫', '↑⇑', '✓✔'])
      expect(terms.filter((term) => family.includes(term)).length).toBeLessThanOrEqual(1)
  })

  it('T6: dense-1 gives currencies, letter-like signs and digits only to expansions with a letter', () => {
    const phrases = ['| --- || ** |', '::==>>', '(((*)))', '[[~~]]', '<<<>>>', '####++++']
    const { entries } = compress(phrases.map(repeat).join('\n'), { scheme: 'dense-1' })
    const without = entries.filter(({ expansion }) => !/\p{L}/u.test(expansion))
    expect(without.length).toBeGreaterThan(3)
    expect(without.filter(({ term }) => /[\p{Sc}©®一二三四五六七八九十百千万]/u.test(term))).toEqual([])
  })

  it('T7: dense-1 has no entry for a bare number', () => {
    const text = repeat('8443211') + repeat('31,415.926')
    const isNumber = ({ expansion }: { expansion: string }): boolean => /^[\d\s.,]+$/.test(expansion)
    expect(compress(text, { scheme: 'dense-1' }).entries.filter(isNumber)).toEqual([])
    expect(compress(text, { scheme: 'dense-1' }).entries.length).toBeGreaterThan(0)
  })
})
