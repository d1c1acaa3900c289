import { compress } from '@packs/codec/compress'
import { describe, expect, it } from 'vitest'
import { lintTexts, listLocations } from '../lint-texts.ts'

const RULE = 'near-duplicate-phrase'
/** Repeats enough for a header: without one a better phrase saves nothing. */
const REPEATED = 'Keep the yearly statement of account in the archive.\n'.repeat(20)
const ALLOWED = [
  'A guest of the site is not allowed to open the monthly report of another team.',
  'A member of the site is not allowed to open the monthly report of another team.',
  'An auditor is not permitted to open the monthly report of another team.',
  REPEATED,
]

describe(RULE, () => {
  it('finds a phrase that differs in a word, at the rarer form', () => {
    const [finding, ...more] = lintTexts(RULE, ALLOWED.join('\n\n'))
    expect(more).toEqual([])
    expect(finding!.message).toMatch(
      /“.*is not allowed to open.*” \(2\) and “.*is not permitted to open.*” \(1\)/,
    )
    expect(listLocations([finding!])).toEqual(['a.md:5:12'])
  })

  it('counts what the pack saves with the better form', async () => {
    const [finding] = lintTexts(RULE, ALLOWED.join('\n\n'))
    const count = async (text: string): Promise<number> => {
      const { tokens } = await compress(text)
      return tokens.content + tokens.rosetta
    }
    const text = ALLOWED.join('\n\n')
    expect(finding!.saves).toBe((await count(text)) - (await count(text.replace('permitted', 'allowed'))))
  })

  it('finds a word that is omitted', () => {
    const line = 'When the form is complete, open the side menu and click the green Save button at the top.'
    const text = [line.replace('click the', 'click on the'), line, line, REPEATED].join('\n\n')
    const [finding] = lintTexts(RULE, text)
    expect(finding!.message).toContain('“open the side menu and click on the green” (1)')
    expect(listLocations([finding!])).toEqual(['a.md:1:28'])
  })

  it('knows German words', () => {
    const line = 'Es ist Gästen der Anlage nicht gestattet das untere Gebäude zu betreten.'
    const text = [line, line, line.replace('gestattet', 'erlaubt'), REPEATED].join('\n\n')
    expect(lintTexts(RULE, text)[0]!.message).toMatch(
      /“.*nicht gestattet.*” \(2\) and “.*nicht erlaubt.*” \(1\)/,
    )
  })

  it.each([
    ['words that mean different things', ALLOWED.join('\n\n').replace('permitted', 'required')],
    [
      'words of different strictness',
      'You must restart the server after each change. You should restart the server after each change.',
    ],
    [
      'a phrase that sentences divide',
      'The red door is not. Allowed to go. The red door is not. Permitted to go.',
    ],
    ['code', ALLOWED.map((line) => `    ${line}`).join('\n\n')],
    ['a verbatim region', `<!-- pack:verbatim -->\n\n${ALLOWED.join('\n\n')}\n\n<!-- /pack -->`],
    ['Japanese', 'この設定は許可されていません。この設定は許されていません。'.repeat(3)],
  ])('does not report %s', (_, text) => {
    expect(lintTexts(RULE, text)).toEqual([])
  })

  it('does not report what saves nothing', () => {
    expect(lintTexts(RULE, 'You can not open it today.\n\nYou cannot open it today.')).toEqual([])
  })
})
