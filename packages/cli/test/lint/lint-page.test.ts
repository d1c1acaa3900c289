import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ruleTable } from '../../src/lint/rule-table.ts'
import { lintTexts } from './lint-texts.ts'

const page = readFileSync(new URL('../../../../docs/lint.md', import.meta.url), 'utf8')
const [, rules = ''] = page.split('\n## Rules\n')
const names = ruleTable.map(({ name }) => name)
const starts = names.map((name) => rules.indexOf(`\n### ${name}\n`))

it('docs/lint.md has a section for each rule, in their order, and no other', () => {
  const headings = rules.replaceAll(/```text\n.*?\n```/gs, '').match(/^#.*$/gm)
  expect(headings).toEqual(names.map((name) => `### ${name}`))
})

/** Rules whose examples are too short to be reported, or leave text out. */
const SHORTENED = ['near-duplicate-phrase', 'long-section', 'padded-table', 'hidden-comment']

it.each(ruleTable.map((rule, at) => [rule.name, rule.severity, at] as const))(
  'docs/lint.md has the severity of %s, and examples that it reports and does not report',
  (name, severity, at) => {
    const section = rules.slice(starts[at], starts[at + 1])
    expect(section).toMatch(
      new RegExp(`^\\s*### ${name}\\s+Reports [^.]+ \\(${severity}\\)\\.\\n[A-Z][^.]*\\.\\n`),
    )
    const [bad = '', good = ''] = Array.from(section.matchAll(/```text\n(.*?)\n```/gs), (match) => match[1])
    expect(lintTexts(name, good)).toEqual([])
    if (!SHORTENED.includes(name)) expect(lintTexts(name, bad).length).toBeGreaterThan(0)
  },
)
