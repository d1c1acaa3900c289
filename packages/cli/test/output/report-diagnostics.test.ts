import { describe, expect, it, vi } from 'vitest'
import type { Diagnostic } from '@packs/files'
import { foldDiagnostics } from '../../src/output/diagnostic.ts'
import {
  formatGithub,
  isOverLimit,
  reportDiagnostics,
  type DiagnosticOptions,
} from '../../src/output/report-diagnostics.ts'

function message(severity: Diagnostic['severity'], fields: Partial<Diagnostic> = {}): Diagnostic {
  return {
    file: 'a.md',
    line: 3,
    column: 7,
    severity,
    rule: 'some-rule',
    message: 'text',
    hint: null,
    ...fields,
  }
}

/** Returns what is printed on stderr, and whether there are too many warnings. */
function report(diagnostics: readonly Diagnostic[], options: DiagnosticOptions = {}): [string[], boolean] {
  const lines: string[] = []
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
  try {
    reportDiagnostics(diagnostics, options)
    return [lines.join('').split('\n').slice(0, -1), isOverLimit(diagnostics, options)]
  } finally {
    spy.mockRestore()
  }
}

describe('reportDiagnostics', () => {
  it('groups messages by file and counts them at the end', () => {
    const diagnostics = [
      message('warning', { hint: 'correct it' }),
      message('error', { file: 'b.md', line: null, column: null, rule: 'other' }),
      message('warning', { line: 9, rule: 'third', hint: 'correct it' }),
    ]
    expect(report(diagnostics)).toEqual([
      [
        'a.md:3:7 warning text some-rule',
        '  hint: correct it',
        'a.md:9:7 warning text third',
        'b.md error text other',
        '1 error, 2 warnings',
      ],
      false,
    ])
  })

  it('prints the first warning of a kind and counts the others', () => {
    const files = ['a.md', 'b.md', 'c.md', 'd.md', 'd.md', 'e.md']
    const [lines] = report(files.map((file, at) => message('warning', { file, message: `text ${at}` })))
    expect(lines).toEqual([
      'a.md:3:7 warning text 0 (and 5 more in 4 files) some-rule',
      '6 warnings; --verbose lists all',
    ])
  })

  it.each(['error', 'warning'] as const)('prints an equal %s once, with its first place', (severity) => {
    const equal = Array.from({ length: 400 }, (_, at) => message(severity, { file: `${at % 300}.md` }))
    expect(report([...equal, message(severity, { message: 'other' })])[0]).toEqual([
      `0.md:3:7 ${severity} text (400 times in 300 files) some-rule`,
      `a.md:3:7 ${severity} other some-rule`,
      `401 ${severity}s; --verbose lists all`,
    ])
  })

  it('prints all of them with --verbose', () => {
    const [lines] = report(
      Array.from({ length: 40 }, () => message('warning')),
      { verbose: true },
    )
    expect(lines).toHaveLength(41)
  })

  it('says in one line what is left out, and nothing else of what needs no action', () => {
    const infos = [
      message('info', { rule: 'passed-through', names: ['layout', 'weight'] }),
      message('info', { rule: 'no-terms', message: 'No terms are used' }),
      message('info', { rule: 'left-out', message: 'skipped 3 .png', file: '', line: null }),
    ]
    expect(report(infos)).toEqual([['skipped 3 .png'], false])
  })

  it('adds up what is not in packs, with its first place', () => {
    const include = { rule: 'not-in-pack', kind: 'Hugo shortcode', hint: 'write it' }
    const warnings = [1, 2].map((count) => message('warning', { ...include, count, file: `${count}.md` }))
    expect(report(warnings)[0]).toEqual([
      '1.md:3:7 warning 3 Hugo shortcodes in 2 files are not in their packs not-in-pack',
      '  hint: write it',
      '2 warnings; --verbose lists all',
    ])
  })

  it('prints errors only with --quiet, and nothing without errors', () => {
    const diagnostics = [message('warning'), message('info')]
    expect(report(diagnostics, { quiet: true })[0]).toEqual([])
    expect(report([...diagnostics, message('error')], { quiet: true })[0]).toEqual([
      'a.md:3:7 error text some-rule',
      '1 error, 1 warning',
    ])
  })
})

describe('formatGithub', () => {
  it('annotates files, with special characters escaped', () => {
    vi.stubEnv('GITHUB_WORKSPACE', '')
    const diagnostics = [
      message('warning', { file: 'docs/a, b: c.md', message: '100 %\nof it', hint: 'write 5 %' }),
      message('error', { file: '<stdin>', line: null, column: null }),
    ]
    expect(formatGithub(diagnostics, false)).toEqual([
      '::error title=some-rule::text',
      '::warning file=docs/a%2C b%3A c.md,line=3,col=7,title=some-rule::100 %25%0Aof it%0Ahint: write 5 %25',
    ])
    vi.unstubAllEnvs()
  })

  it('names files from the root of the workspace', () => {
    vi.stubEnv('GITHUB_WORKSPACE', process.cwd().replace(/\/[^/]*$/, ''))
    const folder = process.cwd().replace(/^.*\//, '')
    expect(formatGithub([message('error')], false)[0]).toContain(`file=${folder}/a.md,`)
    vi.unstubAllEnvs()
  })

  it('annotates no more than GitHub shows, and prints the others as lines that are no commands', () => {
    const diagnostics = Array.from({ length: 12 }, (_, at) =>
      message('error', { rule: `rule-${at}`, message: '::set-env name=a::##[error]' }),
    )
    const lines = formatGithub(diagnostics, false)
    expect(lines.filter((line) => line.startsWith('::error '))).toHaveLength(10)
    expect(lines.slice(10)).toEqual([
      'error a.md:3:7 ::set-env name=a::## [error] rule-10',
      'error a.md:3:7 ::set-env name=a::## [error] rule-11',
    ])
  })
})

describe('foldDiagnostics', () => {
  it('keeps three errors of a rule, and all of other rules', () => {
    const errors = Array.from({ length: 30 }, (_, at) => message('error', { message: `text ${at}` }))
    const { shown, summaries } = foldDiagnostics([...errors, message('error', { rule: 'other' })], false)
    expect(shown.map(({ rule }) => rule)).toEqual([...Array<string>(3).fill('some-rule'), 'other'])
    expect(summaries).toEqual(['… and 27 more in 1 file some-rule'])
  })
})
