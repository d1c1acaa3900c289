import { join } from 'node:path'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { runInProcess } from '../../../test-kit/src/run-in-process.ts'
import { makeFolder, runPack } from '../../../test-kit/src/run-pack.ts'

const VAGUE = '# A\n\nSee [here](b.md).\n'
const IMAGE = '# B\n\nLook at ![](b.png).\n'

/** What `pack lint --json` prints. */
interface LintDocument {
  readonly ok: boolean
  readonly sources: number
  readonly findings: readonly { readonly rule: string; readonly file: string; readonly severity: string }[]
  readonly messages: readonly { readonly rule: string; readonly file: string }[]
}

const parse = (stdout: string): LintDocument => JSON.parse(stdout) as LintDocument
const listRules = (stdout: string): string[] => parse(stdout).findings.map(({ rule }) => rule)

describe('pack lint', () => {
  it('prints findings with their positions on stderr, and a table on stdout', async () => {
    const cwd = makeFolder({ 'docs/a.md': VAGUE, 'docs/b.md': IMAGE })
    const run = await runInProcess(['lint', 'docs'], { cwd })
    expect(run.status).toBe(0)
    expect(run.stderr).toBe(
      [
        'docs/a.md:3:5 warning The text of this link is only “here” vague-link-text',
        '  hint: Write what the reader finds there: the title of the page, or the task.',
        'docs/b.md:3:9 warning This image has no alternative text missing-alt-text',
        '  hint: Describe in one sentence what the reader should see in it. For mere decoration write <img alt="" …>.',
        '2 warnings',
        '',
      ].join('\n'),
    )
    expect(run.stdout).toBe(
      [
        'rule (2 sources)  findings  tokens',
        'vague-link-text          1',
        'missing-alt-text         1',
        '',
      ].join('\n'),
    )
  })

  it('changes no file', async () => {
    const cwd = makeFolder({ 'a.md': VAGUE })
    await runInProcess(['lint'], { cwd })
    expect(readFileSync(join(cwd, 'a.md'), 'utf8')).toBe(VAGUE)
  })

  it('says that nothing was found', async () => {
    const run = await runPack(['lint', '-'], { input: '# A\n\nText.\n' })
    expect(run).toMatchObject({ status: 0, stdout: 'nothing found in 1 source\n', stderr: '' })
  })

  it('prints one JSON document with places in the whole file', async () => {
    const run = await runPack(['lint', '-', '--json'], { input: `---\ntitle: A\n---\n${VAGUE}` })
    expect(run.stderr).toBe('')
    const place = { file: '<stdin>', line: 6, column: 5 }
    expect(JSON.parse(run.stdout)).toEqual({
      ok: true,
      sources: 1,
      findings: [
        {
          ...place,
          severity: 'warning',
          rule: 'vague-link-text',
          message: 'The text of this link is only “here”',
          hint: 'Write what the reader finds there: the title of the page, or the task.',
          tokens_saved: null,
          places: [place],
          place_count: 1,
        },
      ],
      messages: [],
    })
  })

  it('fails above --max-warnings', async () => {
    const cwd = makeFolder({ 'a.md': VAGUE })
    expect((await runInProcess(['lint', '--max-warnings', '1'], { cwd })).status).toBe(0)
    const run = await runInProcess(['lint', '--max-warnings', '0', '--json'], { cwd })
    expect([run.status, parse(run.stdout).ok]).toEqual([1, false])
  })

  it('reports a source that cannot be parsed, and checks the others', async () => {
    const cwd = makeFolder({ 'a.md': '---\ntitle: A\n', 'b.md': IMAGE, 'c.md': Uint8Array.of(0x61, 0xff) })
    const run = await runInProcess(['lint', 'a.md', 'b.md', 'c.md', 'd.md', '--json'], { cwd })
    expect(run.status).toBe(1)
    expect(parse(run.stdout).messages.map(({ file, rule }) => [file, rule])).toEqual([
      ['d.md', 'file_not_found'],
      ['a.md', 'front-matter-unclosed'],
      ['c.md', 'invalid-utf8'],
    ])
    expect(listRules(run.stdout)).toEqual(['missing-alt-text'])
  })

  it('compares spellings across files', async () => {
    const cwd = makeFolder({ 'a.md': 'An email. My email.\n', 'b.md': 'An e-mail.\n' })
    const run = await runInProcess(['lint'], { cwd })
    expect(run.stderr).toContain('b.md:1:4 warning “email” (2) and “e-mail” (1) are spellings of one word')
  })

  it('names some of many places, and all with --verbose', async () => {
    const cwd = makeFolder({
      'a.md': `An email. My email. ${'An e-mail. '.repeat(6)}Your email. ${'Our email. '.repeat(9)}`,
    })
    const some = await runInProcess(['lint'], { cwd })
    expect(some.stderr).toContain('; also at 1:35, 1:46, 1:57 and 2 more inconsistent-spelling')
    const all = await runInProcess(['lint', '--verbose'], { cwd })
    expect(all.stderr).toContain('; also at 1:35, 1:46, 1:57, 1:68, 1:79 inconsistent-spelling')
  })

  describe('rules', () => {
    const files = { 'a.md': `${VAGUE}\n${IMAGE}` }
    const config = (rules: object): string => JSON.stringify({ lint: { rules } })

    it.each([
      [
        'the configuration',
        { 'packs.config.json': config({ 'vague-link-text': 'off' }) },
        ['missing-alt-text'],
      ],
      [
        'the front matter',
        { 'a.md': `---\nlint:\n  rules:\n    missing-alt-text: off\n---\n${files['a.md']}` },
        ['vague-link-text'],
      ],
    ])('are chosen by %s', async (_, more, rules) => {
      const cwd = makeFolder({ ...files, ...more })
      expect(listRules((await runInProcess(['lint', '--json'], { cwd })).stdout)).toEqual(rules)
    })

    it('have the severity of the configuration', async () => {
      const cwd = makeFolder({
        ...files,
        'packs.config.json': config({ 'missing-alt-text': 'error', 'vague-link-text': 'info' }),
      })
      const run = await runInProcess(['lint', '--json'], { cwd })
      expect(run.status).toBe(1)
      expect(parse(run.stdout).findings.map(({ severity }) => severity)).toEqual(['info', 'error'])
    })

    it.each(['lint', 'build'])(
      'that do not exist are refused in a configuration by `pack %s`',
      async (name) => {
        const text = '{\n  "lint": {\n    "rules": {\n      "long-sections": "off"\n    }\n  }\n}\n'
        const cwd = makeFolder({ ...files, 'packs.config.json': text })
        expect(await runInProcess([name], { cwd })).toMatchObject({
          status: 2,
          stderr: expect.stringMatching(
            /^packs\.config\.json:4:7 error "lint\.rules\.long-sections" is not a key .*\n {2}hint: did you mean "lint\.rules\.long-section"\?\n/,
          ),
        })
      },
    )

    it('that were removed are ignored with a warning', async () => {
      const cwd = makeFolder({ ...files, 'packs.config.json': config({ 'repeated-word': 'error' }) })
      const run = await runInProcess(['lint', '--json'], { cwd })
      expect(run).toMatchObject({
        status: 0,
        stderr: 'warning: the rule repeated-word in packs.config.json is ignored: it was removed\n',
      })
      expect(listRules(run.stdout)).toEqual(['vague-link-text', 'missing-alt-text'])
    })
  })

  it('skips the folder of the packs and ignored files of the configuration', async () => {
    const cwd = makeFolder({
      'a.md': IMAGE,
      'dist/b.md': IMAGE,
      'old/c.md': IMAGE,
      'packs.config.json': '{"ignore":["old"]}',
    })
    expect(parse((await runInProcess(['lint', '--json'], { cwd })).stdout).sources).toBe(1)
  })
})
