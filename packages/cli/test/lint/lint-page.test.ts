import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ruleTable } from '../../src/lint/rule-table.ts'
import { lintTexts } from './lint-texts.ts'

const page = readFileSync(new URL('../../../../docs/lint.md', import.meta.url), 'utf8')
const [, rules = ''] = page.split('\n## Rules\n')
const starts = ruleTable.map(({ name }) => rules.indexOf(`\n### ${name}\n`))

describe('docs/lint.md', () => {
  it('has a section for each rule, in their order, and no other', () => {
    const headings = rules.replaceAll(/```text\n.*?\n```/gs, '').match(/^#.*$/gm)
    expect(headings).toEqual(ruleTable.map(({ name }) => `### ${name}`))
  })

  it.each(ruleTable.map((rule, at) => [rule.name, rule, at] as const))(
    'explains %s as the program does',
    (_, rule, at) => {
      const section = rules.slice(starts[at], starts[at + 1])
      const prose = section.replaceAll(/\s+/g, ' ')
      expect(prose).toContain(`Reports ${rule.summary} (${rule.severity}). ${rule.reason} Instead of`)
      expect(Array.from(section.matchAll(/```text\n(.*?)\n```/gs), (match) => match[1])).toEqual([
        rule.bad,
        rule.good,
      ])
    },
  )
})

/** Rules whose examples are too short to be reported, or leave text out. */
const SHORTENED = ['near-duplicate-phrase', 'long-section', 'padded-table', 'hidden-comment']

describe('the table of rules', () => {
  it('has different names, in kebab-case, and reasons of one sentence', () => {
    expect(new Set(ruleTable.map(({ name }) => name)).size).toBe(ruleTable.length)
    for (const { name, reason } of ruleTable) {
      expect(name).toMatch(/^[a-z]+(?:-[a-z]+)+$/)
      expect(reason).toMatch(/^[A-Z][^.]*\.$/)
    }
  })

  it.each(ruleTable.map((rule) => [rule.name, rule] as const))(
    'has an example that %s does not report',
    (name, { good }) => {
      expect(lintTexts(name, good)).toEqual([])
    },
  )

  it.each(
    ruleTable.filter(({ name }) => !SHORTENED.includes(name)).map((rule) => [rule.name, rule] as const),
  )('has an example that %s reports', (name, { bad }) => {
    expect(lintTexts(name, bad).length).toBeGreaterThan(0)
  })
})
