// The rules for terms that nobody misreads, SPEC.md section 8.6.
import { describe, expect, it } from 'vitest'
import { compress } from '../../../src/compress/compress.ts'
import { o200kBase } from '../../load-o200k-base.ts'
import { LETTERS } from '../../../src/compress/terms/letter-table.ts'
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

  const EVERY = { percent: 0, tokens: 0 }
  const LINES = Array.from(
    { length: 40 },
    (_, at) =>
      `${at}. Keys must not be rotated without a new chain. Run \`kubectl get pods --dry-run\` in **the quiet harbour of ${at}**, ` +
      `as [the old town hall](/towns/${at}) says. You can't skip it: getByLabel(${at}) is required. 证书${at}不能没有新的密钥，必须轮换证书链。\n`,
  ).join('\n')

  it.each(['dense-2', 'max-2'] as const)(
    'T13: %s has no entry with a negation or an obligation',
    (scheme) => {
      const { entries } = compress(LINES, { scheme, worthHeader: EVERY })
      const words = /\b(must|not|without|can't|can|t|required)\b|不|没|必/
      expect(entries.length).toBeGreaterThan(4)
      expect(entries.filter(({ expansion }) => words.test(expansion))).toEqual([])
      const glossary = [{ expansion: 'must not be rotated', term: 'MNR' }]
      const named = compress(LINES, { scheme, worthHeader: EVERY, glossary })
      expect(named.entries.map(({ term }) => term)).toContain('MNR')
    },
  )

  it.each([
    'Der Schlüssel darf nicht ohne eine neue Kette getauscht werden',
    "La clé n'est pas valable sans une nouvelle chaîne de confiance",
    'A chave não deve ser trocada nem sem uma cadeia nova de confiança',
    'La chiave non deve essere cambiata senza una nuova catena',
    'Ключ не должен меняться без новой цепочки доверия сервера',
    '証明書は新しい鍵がなければなりません、交換の手順を確認する',
    '인증서는 새로운 키 없이 교체하지 않아야 합니다 반드시 확인',
    "You don't rotate the quiet chain of the old harbour town",
  ])('T13: %s', (phrase) => {
    const { entries } = compress(repeat(phrase), { scheme: 'dense-2', worthHeader: EVERY })
    const words =
      /\b(darf|nicht|ohne|n'|pas|sans|deve|nem|sem|non|senza|don)|não|'t|не |должен|без|なけれ|ません|없|않/
    expect(entries.length).toBeGreaterThan(0)
    expect(entries.filter(({ expansion }) => words.test(expansion))).toEqual([])
  })

  it('T14: dense-2 cuts no code span, bold text, link and name', () => {
    const { entries, content } = compress(LINES, { scheme: 'dense-2', worthHeader: EVERY })
    const countAll = (text: string, mark: string): number => text.split(mark).length - 1
    for (const { expansion } of entries) {
      expect([expansion, countAll(expansion, '`') % 2, countAll(expansion, '**') % 2]).toEqual([
        expansion,
        0,
        0,
      ])
      expect([expansion, countAll(expansion, '[')]).toEqual([expansion, countAll(expansion, '](')])
    }
    for (const part of content.match(/`[^`]*`/g) ?? []) expect(part).toBe('`kubectl get pods --dry-run`')
    expect(content.match(/getBy(?!Label)|(?<!getBy)Label/g)).toBeNull()
  })

  it('T14: a use may be inside bold text and the text of a link', () => {
    const text = Array.from(
      { length: 40 },
      (_, at) =>
        `**${at} of the quiet old harbour town ${at}** [${at} of the quiet old harbour town ${at}](/a)\n`,
    ).join('\n')
    const { content } = compress(text, { scheme: 'dense-2', worthHeader: EVERY })
    expect(content).not.toContain('quiet')
    expect(content.match(/\*\*/g)).toHaveLength(80)
  })

  it('T15 and T16: an expansion of dense-2 is in one sentence and has three tokens or more', () => {
    const text = Array.from(
      { length: 40 },
      (_, at) => `See it${at}. Then the volatile xenon log ends. The old hall of ${at} is in the log.\n`,
    ).join('\n')
    const { entries } = compress(text, { scheme: 'dense-2', worthHeader: EVERY })
    expect(entries.length).toBeGreaterThan(0)
    expect(entries.filter(({ expansion }) => /[.!?] +[A-Z]/.test(expansion))).toEqual([])
    expect(entries.filter(({ expansion }) => o200kBase.countTokens(expansion) < 3)).toEqual([])
  })

  it('T17: an expansion of dense-2 has nothing that a header escapes', () => {
    const text = repeat('| string of letters | `C:\\Users\\harbour\\town` |\tquiet harbour')
    expect(compress(text, { scheme: 'dense-2' }).rosetta).toMatch(/^\[DECODE\][^\\]+$/)
    expect(compress(text, { scheme: 'max-2' }).rosetta).toContain('\\')
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
