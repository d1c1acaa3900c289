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

  it('prints the first messages of a rule and counts the others', () => {
    const files = ['a.md', 'b.md', 'c.md', 'd.md', 'd.md', 'e.md']
    const [lines] = report(files.map((file, at) => message('warning', { file, message: `text ${at}` })))
    expect(lines).toEqual([
      'a.md:3:7 warning text 0 some-rule',
      'b.md:3:7 warning text 1 some-rule',
      'c.md:3:7 warning text 2 some-rule',
      'warning … and 3 more in 2 files some-rule',
      '--verbose lists all messages',
      '6 warnings',
    ])
  })

  it.each(['error', 'warning'] as const)('prints an equal %s once, with its first place', (severity) => {
    const equal = Array.from({ length: 400 }, (_, at) => message(severity, { file: `${at % 300}.md` }))
    expect(report([...equal, message(severity, { message: 'other' })])[0]).toEqual([
      `0.md:3:7 ${severity} text (400 times in 300 files) some-rule`,
      `a.md:3:7 ${severity} other some-rule`,
      '--verbose lists all messages',
      `401 ${severity}s`,
    ])
  })

  it('prints all of them with --verbose', () => {
    const [lines] = report(
      Array.from({ length: 40 }, () => message('warning')),
      { verbose: true },
    )
    expect(lines).toHaveLength(41)
  })

  it('joins what infos list in one line a rule, the most frequent first', () => {
    const infos = [
      message('info', { rule: 'passed-through', names: ['layout', 'weight'] }),
      message('info', { rule: 'passed-through', names: ['weight'], file: 'b.md' }),
      message('info', { rule: 'no-terms', message: 'No terms are used' }),
      message('info', { rule: 'no-terms', message: 'No terms are used', file: 'b.md' }),
      message('info', { rule: 'empty-body', message: 'No body', hint: 'Write.' }),
      message('info', { rule: 'empty-body', message: 'No body', hint: 'Write.', file: 'b.md' }),
      message('info', { rule: 'left-out', message: 'skipped 3 .png', file: '', line: null }),
    ]
    expect(report(infos)).toEqual([
      [
        'info skipped 3 .png left-out',
        'info passed through weight, layout in 2 files passed-through',
        'info No terms are used (2 times in 2 files) no-terms',
        'info No body (2 times in 2 files). Write. empty-body',
        '--verbose lists all messages',
      ],
      false,
    ])
  })

  it('tells in one line what 300 files keep for other tools', () => {
    const kept = Array.from({ length: 300 }, (_, at) =>
      message('info', { rule: 'kept-value', names: [at < 10 ? 'version' : 'slug'], file: `${at}.md` }),
    )
    const repeated = [1, 2].map(() => message('info', { rule: 'duplicate-key', names: ['weight'] }))
    expect(report([...kept, ...repeated])[0]).toEqual([
      'info kept for other tools: slug, version in 300 files kept-value',
      'info kept the last value of repeated keys: weight in 1 file duplicate-key',
      '--verbose lists all messages',
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
  it('keeps ten errors of a rule, and all of other rules', () => {
    const errors = Array.from({ length: 30 }, (_, at) => message('error', { message: `text ${at}` }))
    const { shown, summaries } = foldDiagnostics([...errors, message('error', { rule: 'other' })], false)
    expect(shown.map(({ rule }) => rule)).toEqual([...Array<string>(10).fill('some-rule'), 'other'])
    expect(summaries).toEqual([{ severity: 'error', rule: 'some-rule', text: '… and 20 more in 1 file' }])
  })
})
