import { describe, expect, it } from 'vitest'
import { readDocument, lintTexts, listLocations } from '../lint-texts.ts'
import { inconsistentSpelling } from '../../../src/lint/rules/wording-rules.ts'

const RULE = 'inconsistent-spelling'

describe(RULE, () => {
  it.each([
    [
      'a hyphen',
      'Send an email. Read the email. Each e-mail counts.',
      '“email” (2) and “e-mail” (1)',
      'email',
    ],
    [
      'a space',
      'The frontmatter ends. This frontmatter stays. Some front matter.',
      '“frontmatter” (2) and “front matter” (1)',
      'frontmatter',
    ],
    [
      'capitals of a name',
      'We use GitHub. Open Github. Then GitHub.',
      '“GitHub” (2) and “Github” (1)',
      'GitHub',
    ],
    ['capitals of an acronym', 'It reads JSON. It writes Json.', '“JSON” (1) and “Json” (1)', 'JSON'],
    [
      'British and American spelling',
      'The colour of it. A colour and a color.',
      '“colour” (2) and “color” (1)',
      'colour',
    ],
    [
      'a long vowel',
      'サーバーを起動します。サーバーは速い。サーバを止めます。',
      '“サーバー” (2) and “サーバ” (1)',
      'サーバー',
    ],
    [
      'a hyphen in German',
      'Eine E-Mail kam. Noch eine E-Mail. Jede Email zählt.',
      '“E-Mail” (2) and “Email” (1)',
      'E-Mail',
    ],
  ])('finds words that differ in %s', (_, text, counts, advised) => {
    const findings = lintTexts(RULE, text)
    expect(findings.map(({ message, hint }) => [message, hint])).toEqual([
      [`${counts} are spellings of one word`, `Write “${advised}” everywhere.`],
    ])
  })

  it.each([
    ['the most frequent', 'Maruku reads it. Use Maruku or MaRuKu.', 'Maruku'],
    ['capitals inside on a tie', 'We use RedCarpet. Then Redcarpet.', 'RedCarpet'],
    ['the most frequent of two with capitals inside', 'A TestGrid. A TestGrid. A TesTGrid.', 'TestGrid'],
    ['a known name, however rare', 'Ask Github. Then Github, not GitHub.', 'GitHub'],
    ['a known name in lower case', 'Run Macos. Then Macos, not macOS.', 'macOS'],
    ['a known acronym', 'It reads Yaml. It writes Yaml, or YAML.', 'YAML'],
    ['the plural of an acronym', 'Two URLs. More URLs. All URLS. The urls end.', 'URLs'],
    ['no command in lower case', 'A podgroup. A podgroup. A podgroup. A PodGroup. A Podgroup.', 'PodGroup'],
  ])('advises for a name: %s', (_, text, advised) => {
    expect(lintTexts(RULE, text).map(({ hint }) => hint)).toEqual([`Write “${advised}” everywhere.`])
  })

  it('compares all documents, and lists every position of the rarer spelling', () => {
    const findings = lintTexts(RULE, ['An email. The email.', 'An e-mail.\n\n- the e-mail', 'My email.'])
    expect(listLocations(findings)).toEqual(['b.md:1:4', 'b.md:3:7'])
  })

  it.each([
    ['a verb with its particle', 'Log in here. The login page. Set up the mail. The setup ends.'],
    ['a hyphen before a noun', 'It is open source. It is open-source software.'],
    ['a word at the beginning of a sentence', 'Tables are fine. These tables too.'],
    ['capitals for emphasis', 'This is a NOTE. This is a note.'],
    ['words in code', 'A filename. `file name` and `file-name`'],
    ['words in addresses and paths', 'GitHub is at https://github.com/x and in src/github/github.ts.'],
    [
      'a name that code uses',
      'Set the last value. The listall command. We list all values, and list all keys.\n\n    run listall',
    ],
    [
      'other words',
      'It is useless. You use less memory. He resigned. They re-signed the contract. A four for the tour.',
    ],
    ['front matter', '---\ntitle: e-mail\n---\nAn email.'],
    ['different words of Katakana', 'カーを見る。カラーとカラを見る。'],
  ])('does not report %s', (_, text) => {
    expect(lintTexts(RULE, text)).toEqual([])
  })

  it.each([
    ['in another document', ['A keyword. The keyword ends.', 'The key word in SSR is the last.']],
    ['beside one use of the compound', ['My homepage. The home page.']],
    ['of a name with capitals', ['Ask StackOverflow. A stackoverflow. A stack overflow, a stack overflow.']],
  ])('does not report two words %s', (_, texts) => {
    const findings = lintTexts(RULE, texts).filter(({ message }) => /“\w+ \w+”/.test(message))
    expect(findings).toEqual([])
  })

  it.each([
    ['twice, in other documents', ['A codebase. The codebase.', 'A code base.', 'The code base.']],
    ['in a document that writes one word twice', ['A codebase. The codebase. A code base.']],
    ['more often than one word', ['A codebase.', 'A code base. The code base.']],
  ])('reports two words that occur %s', (_, texts) => {
    expect(lintTexts(RULE, texts)).toHaveLength(1)
  })

  it('advises -ise or -ize for all words of a run', () => {
    const findings = lintTexts(RULE, [
      'We initialized it. We initialized that. One initialised thing.',
      'The initialisation. An initialisation. Some initialization. We organize it. We customize it.',
    ])
    expect(findings.map(({ message, hint }) => [message, hint])).toEqual([
      [
        '“initialized” (2) and “initialised” (1) are spellings of one word',
        'Write “initialized” everywhere.',
      ],
      [
        '“initialisation” (2) and “initialization” (1) are spellings of one word',
        'Write “initialization” everywhere.',
      ],
    ])
    expect(listLocations(findings)).toEqual(['a.md:1:45', 'b.md:1:5', 'b.md:1:24'])
  })

  it.each([
    ['words in one spelling', 'The colour of honour. A behavior. A behavior. A behaviour.', 'behaviour'],
    [
      'no words in -or only',
      'The error of the editor. A vector. A behaviour. A behaviour. A behavior.',
      'behaviour',
    ],
    [
      'no words in -ise only',
      'The promise to exercise. A surprise. Organized, organized, organised.',
      'Organized',
    ],
    [
      'no words of other languages',
      ['Organized, organized, organised.', 'Il utilise et normalise, il valorise.'],
      'Organized',
    ],
    ['-our apart from -ise', 'The colour of it, the colour, the color. We organize to customize.', 'colour'],
    ['the American ending on a tie', 'One is organised. One is organized.', 'organized'],
  ])('decides the ending by the majority: %s', (_, texts, advised) => {
    expect(lintTexts(RULE, texts).map(({ hint }) => hint)).toEqual([`Write “${advised}” everywhere.`])
  })

  it('omits changelogs', () => {
    const check = inconsistentSpelling.createCheck()
    check.visit(readDocument('An email. The e-mail.', 'docs/CHANGELOG.md'))
    check.visit(readDocument('An email.', 'docs/mail.md'))
    expect(check.finish!()).toEqual([])
  })
})
