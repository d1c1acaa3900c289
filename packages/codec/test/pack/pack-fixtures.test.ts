import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readJson } from '../fixture-files.ts'
import { checkPack } from '../../src/pack/check-pack.ts'
import type { Pack } from '../../src/pack/pack-schema.ts'

interface PackCase {
  readonly name: string
  readonly section: string
  readonly failed: readonly string[]
  readonly pack: Pack
}

const { cases } = readJson('packs/cases.json') as { readonly cases: readonly PackCase[] }
const spec = readFileSync(new URL('../../SPEC.md', import.meta.url), 'utf8')

test.each(cases)('$name: $failed', async ({ failed, pack }) => {
  const found = (await checkPack(pack)).filter(({ ok }) => !ok)
  expect(found.map(({ name }) => name)).toEqual(failed)
})

test('SPEC.md has the sections that the cases cite, and the names of the checks', () => {
  for (const { section, failed } of cases) {
    expect(spec).toContain(`\n**${section}** `)
    for (const name of failed.slice(0, 1)) expect(spec).toContain(`\`${name}\``)
  }
})

describe('the reader of SPEC.md', () => {
  const program = /^```python\n([^]*?)^```$/m.exec(spec)![1]!
  const [{ pack }] = cases as [PackCase]
  const body =
    '# Rotate keys\n\n<!-- Owner: the platform team, reviewed in March. -->\n\nDo not rotate keys by hand. The [key service]' +
    '(https://keys.example.com/service/overview/for-operators) replaces them every night, and the [runbook]' +
    '(https://docs.example.com/runbooks/security/rotate-keys-after-a-leak) says what to do after a leak.\n\n' +
    '| Key   | Lifetime |\n|-------|----------|\n| Root  | 90 days  |\n| Leaf  | 1 day    |\n\nAfter a leak, revoke the root key first. ' +
    'Then tell the [owners](https://docs.example.com/teams/security/owners-of-the-root-key).\n'
  const read = (input: object): { status: number | null; stdout: string } =>
    spawnSync('python3', ['-c', program], { input: JSON.stringify(input), encoding: 'utf8' })
  const hasPython = spawnSync('python3', ['--version']).error === undefined

  test('has at most eleven lines', () => {
    expect(program.trim().split('\n').length).toBeLessThanOrEqual(11)
  })

  test.runIf(hasPython)('restores the source, and rejects rows that overlap', () => {
    expect(read(pack)).toMatchObject({ status: 0, stdout: body })
    const astral = { content: 'a😀b', patch: [[1, 2, '😁é']] }
    expect(read(astral)).toMatchObject({ status: 0, stdout: 'a😁éb' })
    expect(
      read({
        content: 'abc',
        patch: [
          [0, 2, ''],
          [1, 1, ''],
        ],
      }).status,
    ).not.toBe(0)
  })

  test('restores the same in another language', () => {
    let source = ''
    let end = 0
    for (const [at, removed, inserted] of pack.patch!) {
      source += pack.content.slice(end, at) + inserted
      end = at + removed
    }
    expect(source + pack.content.slice(end)).toBe(body)
  })
})
