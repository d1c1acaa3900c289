import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serializePack } from '@packs/codec/pack'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildVersion } from '../../../api/test/build-version.ts'
import { runInProcess } from '../run-in-process.ts'
import { makeFolder } from '../run-pack.ts'

const BODY = `# Logs\n\nHow a log works.\n\n${'Every certificate transparency log entry names a certificate transparency log.\n'.repeat(40)}`
let files: Record<string, string>

beforeAll(async () => {
  const logs = await buildVersion({ slug: 'logs', title: 'Logs', body: BODY })
  const keys = await buildVersion({ slug: 'keys', title: 'Keys', body: '# Keys\n' })
  files = { 'logs.pack.json': serializePack(logs.pack), 'keys.pack.json': serializePack(keys.pack) }
})

describe('pack export --skill', () => {
  it('writes the folder of a skill, and says its tokens', async () => {
    const cwd = makeFolder(files)
    const run = await runInProcess(['export', '--skill', 'logs.pack.json', '-o', 'skills'], { cwd })
    const text = readFileSync(join(cwd, 'skills/logs/SKILL.md'), 'utf8')
    expect(text).toMatch(/^---\nname: "logs"\ndescription: "Logs: How a log works\."\nmetadata:\n/)
    expect(text.endsWith(`\n---\n\n${BODY}`)).toBe(true)
    const tokens = String(countTokens(text))
    const always = countTokens('logs: Logs: How a log works.')
    const line = `skills/logs/SKILL.md: ${tokens} tokens of o200k_base, ${always} of name and description\n`
    expect(run).toEqual({ status: 0, stdout: line, stderr: '' })
  })

  it('writes the content with its header if that has fewer tokens', async () => {
    const cwd = makeFolder(files)
    const run = await runInProcess(['export', '--skill', '.', '-o', 'skills', '--compressed', '--json'], {
      cwd,
    })
    const { ok, skills } = JSON.parse(run.stdout)
    expect({ ok, status: run.status }).toEqual({ ok: true, status: 0 })
    expect(skills).toMatchObject([
      { slug: 'keys', file: 'skills/keys/SKILL.md', status: 'written', compressed: false },
      { slug: 'logs', file: 'skills/logs/SKILL.md', status: 'written', compressed: true },
    ])
    const text = readFileSync(join(cwd, 'skills/logs/SKILL.md'), 'utf8')
    expect(text).toContain('\n[DECODE] ')
    expect(skills[1].tokens).toBe(countTokens(text))
    expect(readFileSync(join(cwd, 'skills/keys/SKILL.md'), 'utf8')).not.toContain('[DECODE]')
  })

  it('takes a folder that has the name of the only skill for its folder', async () => {
    const cwd = makeFolder(files)
    const run = await runInProcess(['export', '--skill', 'logs.pack.json', '-o', 'skills/logs'], { cwd })
    expect(run.stdout).toMatch(/^skills\/logs\/SKILL\.md: /)
  })

  it('overwrites what it wrote itself, and nothing else without --force', async () => {
    const cwd = makeFolder(files)
    const args = ['export', '--skill', 'logs.pack.json', '-o', 'skills']
    const skill = join(cwd, 'skills/logs/SKILL.md')
    await runInProcess([...args, '--compressed'], { cwd })
    expect(await runInProcess(args, { cwd })).toMatchObject({ status: 0 })
    const written = readFileSync(skill, 'utf8')
    writeFileSync(skill, `${written}My notes.\n`)
    const refused = await runInProcess(args, { cwd })
    expect(refused).toMatchObject({ status: 4, stdout: '' })
    expect(refused.stderr).toBe(
      'error: skills/logs/SKILL.md was not written by pack, or was changed since\n' +
        'hint: choose another folder, or overwrite it with --force\n',
    )
    expect(readFileSync(skill, 'utf8')).toBe(`${written}My notes.\n`)
    expect(await runInProcess([...args, '--force'], { cwd })).toMatchObject({ status: 0 })
    expect(readFileSync(skill, 'utf8')).toBe(written)
  })

  it('writes no skill if one of them would overwrite a file', async () => {
    const cwd = makeFolder({ ...files, 'skills/logs/SKILL.md': 'mine' })
    const run = await runInProcess(['export', '--skill', '.', '-o', 'skills', '--json'], { cwd })
    expect(run.status).toBe(4)
    expect(JSON.parse(run.stdout)).toMatchObject({ ok: false, error: { code: 'file_exists' } })
    expect(() => readFileSync(join(cwd, 'skills/keys/SKILL.md'))).toThrow('ENOENT')
  })

  it('does not write through a link, even with --force', async () => {
    const cwd = makeFolder({ ...files, 'mine.md': 'mine' })
    mkdirSync(join(cwd, 'skills/logs'), { recursive: true })
    symlinkSync('../../mine.md', join(cwd, 'skills/logs/SKILL.md'))
    const args = ['export', '--skill', 'logs.pack.json', '-o', 'skills', '--force']
    expect(await runInProcess(args, { cwd })).toMatchObject({ status: 4 })
    expect(readFileSync(join(cwd, 'mine.md'), 'utf8')).toBe('mine')
  })

  it.each([
    [['logs.pack.json', '-o', 'skills'], 'the format is missing'],
    [['--skill', 'logs.pack.json', '-o', ''], 'the folder after -o is empty'],
    [['--skill', 'logs.pack.json'], "required option '-o, --output <folder>' not specified"],
  ])('has a usage error for %j', async (args, message) => {
    const run = await runInProcess(['export', ...args], { cwd: makeFolder(files) })
    expect(run.status).toBe(2)
    expect(run.stderr).toContain(message)
  })

  it('names what to do for a name that neither a file nor a lock has', async () => {
    const run = await runInProcess(['export', '--skill', 'tls', '-o', 'skills'], { cwd: makeFolder() })
    expect(run.status).toBe(1)
    expect(run.stderr).toBe(
      'error: tls does not exist\n' +
        'hint: check the name of the file, or pin a pack of a catalog with `pack add tls`\n',
    )
  })
})
