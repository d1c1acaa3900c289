import { describe, expect, it } from 'vitest'
import { lintTexts, listLocations } from '../lint-texts.ts'

describe('repeated-heading', () => {
  const RULE = 'repeated-heading'

  it('reports all that repeat under one parent, with the first', () => {
    const [finding, ...more] = lintTexts(
      RULE,
      '# A\n\n## Example\n\nx\n\n## Other\n\n## Example\n\ny\n\nExample\n---\n',
    )
    expect(more).toEqual([])
    expect(finding!.message).toBe(
      'The heading “Example” is also on line 3, at the same level under the same parent',
    )
    expect(listLocations([finding!])).toEqual(['a.md:9:4', 'a.md:13:1'])
  })

  it('compares other scripts', () => {
    expect(listLocations(lintTexts(RULE, '## 例\n\n## 使い方\n\n## 例'))).toEqual(['a.md:5:4'])
  })

  it.each([
    ['headings of a changelog', '## 2.0\n\n### Added\n\n### Fixed\n\n## 1.0\n\n### Added\n\n### Fixed'],
    ['other levels', '# Guide\n\n## Guide\n\n### Guide'],
    ['headings with anchors of their own', '## Options {#cli}\n\n## Options {#api}'],
    ['tabs', '<Tab a>\n\n## Install\n\n</Tab>\n\n<Tab b>\n\n## Install\n\n</Tab>'],
    [
      'shortcodes',
      '{{< tab "a" >}}\n\n## Install\n\n{{< /tab >}}\n\n{{< tab "b" >}}\n\n## Install\n\n{{< /tab >}}',
    ],
    ['code', '```\n# A\n# A\n```'],
    ['code of a template', '{{< clients-example x >}}\n# A\n# A\n{{< /clients-example >}}'],
    ['a verbatim region', '<!-- pack:verbatim -->\n# A\n\n# A\n<!-- /pack -->'],
  ])('does not report %s', (_, text) => {
    expect(lintTexts(RULE, text)).toEqual([])
  })
})

describe('skipped-heading-level', () => {
  const RULE = 'skipped-heading-level'

  it('reports each kind of skip once', () => {
    const findings = lintTexts(RULE, '# A\n\n### B\n\n# C\n\n### D\n\n###### E')
    expect(findings.map(({ message, hint }) => [message, hint])).toEqual([
      [
        'A heading of level 3 follows one of level 1, 2 times',
        'Make it level 2, or add the heading between them.',
      ],
      ['A heading of level 6 follows one of level 3', 'Make it level 4, or add the heading between them.'],
    ])
    expect(listLocations(findings)).toEqual(['a.md:3:5', 'a.md:7:5', 'a.md:9:8'])
  })

  it.each([
    ['a step back', '# A\n\n## B\n\n### C\n\n# D'],
    ['a first heading of any level', '### A\n\n### B'],
    ['headings in quotes', '# A\n\n> #### B'],
  ])('does not report %s', (_, text) => {
    expect(lintTexts(RULE, text)).toEqual([])
  })
})

describe('long-section', () => {
  const RULE = 'long-section'
  const words = (count: number): string => 'word '.repeat(count)

  it('reports a section with more tokens than the limit, and the text before the first heading', () => {
    const text = `${words(1600)}\n\n## Short\n\n${words(500)}\n\n## Long\n\n${words(1700)}\n`
    const findings = lintTexts(RULE, text)
    expect(listLocations(findings)).toEqual(['a.md:1:1', 'a.md:7:4'])
    expect(findings[0]!.message).toMatch(
      /^The text before the first heading has 1,6\d\d tokens .* more than 1,500$/,
    )
    expect(findings[1]!.message).toMatch(/^The section “Long” has 1,7\d\d tokens/)
  })

  it('counts a section only to the next heading of any level', () => {
    expect(lintTexts(RULE, `# A\n\n${words(1200)}\n\n## B\n\n${words(1200)}`)).toEqual([])
  })

  it.each([
    ['code', `\`\`\`\n${words(2000)}\n\`\`\``],
    ['a table', `| a |\n| --- |\n${`| ${words(20)} |\n`.repeat(100)}`],
    ['HTML', `<p>\n${words(2000)}\n</p>`],
    ['targets of links', '[a](https://example.org/a/long/path/to/some/page-of-the-site)\n'.repeat(400)],
    ['a table of contents', '- [One of the sections](#one-of-the-sections)\n'.repeat(800)],
  ])('does not count %s', (_, text) => {
    expect(lintTexts(RULE, `# A\n\n${text}`)).toEqual([])
  })

  it('counts tokens of other scripts', () => {
    expect(lintTexts(RULE, `# 節\n\n${'証明書の透明性。'.repeat(600)}`)).toHaveLength(1)
  })
})
