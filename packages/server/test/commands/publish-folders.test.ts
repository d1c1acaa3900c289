import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openCatalog, openDocument } from '@packs/catalog'
import { describe, expect, it } from 'vitest'
import { runInProcess, type Printed } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const NONE = { DATABASE_URL: '', REDIS_URL: '', PACK_DATA: '' }

/** A small site: two files have the same name, and an index stands for its folder. */
const SITE = {
  'docs/start.md': '# Start\n\nThe first steps.\n',
  'docs/guides/index.md': '# Guides\n\nAll guides.\n',
  'docs/guides/setup.md':
    '---\nweight: 3\ntags: [install]\ndescription: How to install it.\n---\n# Set up\n\nInstall it.\n',
  'docs/reference/setup.md': '# Settings\n\nEvery setting.\n',
  'docs/images/logo.png': 'png',
}

const pack = (cwd: string, ...args: string[]): Promise<Printed> => runInProcess(args, { cwd, env: NONE })

interface Published {
  readonly file: string
  readonly slug: string
  readonly version: string
  readonly status: string
  readonly messages: readonly { readonly rule: string; readonly message: string; readonly hint: string }[]
}

const parse = ({ stdout }: Printed): readonly Published[] =>
  (JSON.parse(stdout) as { readonly published: readonly Published[] }).published

const listSlugs = (run: Printed): string[] => parse(run).map(({ slug }) => slug)

const listWarnings = (run: Printed): string[] =>
  parse(run).flatMap(({ messages }) =>
    messages.filter(({ rule }) => rule === 'earlier-pack').map(({ message }) => message),
  )

describe('pack publish of a folder', () => {
  it('publishes the slugs that pack build writes, changes nothing the second time, and can be verified', async () => {
    const cwd = makeFolder(SITE)
    const first = await pack(cwd, 'publish', 'docs', '--json')
    expect(first).toMatchObject({ status: 0, stderr: '' })
    expect(listSlugs(first)).toEqual(['guides', 'guides-setup', 'reference-setup', 'start'])
    expect((await pack(cwd, 'build', 'docs')).status).toBe(0)
    const files = readdirSync(join(cwd, 'dist')).filter((name) => name.endsWith('.pack.json'))
    expect(new Set(files)).toEqual(new Set(listSlugs(first).map((slug) => `${slug}.pack.json`)))
    const again = await pack(cwd, 'publish', 'docs')
    expect(again).toMatchObject({ status: 0 })
    expect(again.stdout).toBe('4 unchanged\n')
    expect((await pack(cwd, 'verify', '--all')).status).toBe(0)
  })

  it('keeps the slug of the name for a file that is named directly', async () => {
    const cwd = makeFolder(SITE)
    expect(listSlugs(await pack(cwd, 'publish', 'docs/guides/setup.md', '--json'))).toEqual(['setup'])
    expect(listSlugs(await pack(cwd, 'publish', 'docs/guides/*.md', '--dry-run', '--json'))).toEqual([
      'guides',
      'setup',
    ])
  })

  it('stores what the front matter contains, and the file before its body', async () => {
    const cwd = makeFolder(SITE)
    await pack(cwd, 'publish', 'docs')
    const catalog = await openCatalog({ url: join(cwd, '.packs/catalog.sqlite') })
    const version = await catalog.packs.latest('guides-setup')
    await catalog.close()
    expect(version).toMatchObject({ description: 'How to install it.', tags: ['install'] })
    expect(version).not.toHaveProperty('metadata')
    expect(openDocument(version!)).toMatchObject({
      metadata: { weight: 3 },
      front_matter: '---\nweight: 3\ntags: [install]\ndescription: How to install it.\n---\n',
    })
  })

  it('folds what it says about many files, and prints all of it with --verbose', async () => {
    const files = Array.from({ length: 30 }, (_, at) => [
      `docs/page-${at}.md`,
      `# Page ${at}\n\nText ${at}.\n`,
    ])
    const cwd = makeFolder(Object.fromEntries(files) as Record<string, string>)
    const folded = await pack(cwd, 'publish', 'docs', '--dry-run')
    expect(folded.status).toBe(0)
    const [verdict, ...rows] = folded.stdout.trimEnd().split('\n')
    expect([verdict, rows.length, rows.at(-1)]).toEqual(['30 would be published', 12, '… 20 more, --verbose'])
    expect(folded.stderr).toMatch(
      /^note: there is no catalog .*\nnothing was published because of --dry-run\n$/,
    )
    const all = await pack(cwd, 'publish', 'docs', '--dry-run', '--verbose')
    expect(all.stderr.match(/^docs\/page-\d+\.md:1:1 info Assumed /gm)).toHaveLength(30)
  })
})

describe('pack publish with a configuration', () => {
  const settings = {
    sources: ['docs/**/*.md'],
    domain: { 'docs/reference/**': 'Reference', 'docs/guides': 'Handbook' },
    glossary: [{ expansion: 'first steps', term: 'FS' }],
  }

  it('publishes its sources with its values, and each change of a value as a version', async () => {
    const cwd = makeFolder({ ...SITE, 'packs.config.json': JSON.stringify(settings) })
    expect(listSlugs(await pack(cwd, 'publish', '--json'))).toEqual([
      'guides',
      'guides-setup',
      'reference-setup',
      'start',
    ])
    const domains = { ...settings.domain, 'docs/reference/**': 'Settings' }
    writeFileSync(join(cwd, 'packs.config.json'), JSON.stringify({ ...settings, domain: domains }))
    const next = await pack(cwd, 'publish', '--verbose')
    expect(next.stdout).toMatch(
      /^reference-setup +1\.0\.0 → 1\.0\.1 +patch: domain changed; patch: domain_slug changed$/m,
    )
    expect(next.stdout.match(/ unchanged: /g)).toHaveLength(3)
    expect((await pack(cwd, 'verify', '--all')).status).toBe(0)
    const without = await pack(cwd, 'publish', 'docs', '--config', 'none', '--dry-run', '--verbose')
    expect(without.stdout).toMatch(
      /^start +1\.0\.0 → 2\.0\.0 +major: the glossary term "FS" was removed or changed/m,
    )
  })

  it('uses what a header must save', async () => {
    const text = `---\ncompression: dense-2\n---\n${'Every velvet grey hat entry names a velvet grey hat.\n'.repeat(8)}`
    const config = JSON.stringify({ worthHeader: { percent: 0, tokens: 0 } })
    const cwd = makeFolder({ 'docs/hats.md': text, 'packs.config.json': config })
    const read = async (): Promise<string | undefined> => {
      const catalog = await openCatalog({ url: join(cwd, '.packs/catalog.sqlite') })
      const version = await catalog.packs.latest('hats')
      await catalog.close()
      return version?.compression
    }
    expect((await pack(cwd, 'publish', 'docs', '--config', 'none')).status).toBe(0)
    expect(await read()).toBe('none')
    expect((await pack(cwd, 'publish', 'docs')).stdout).toMatch(/^hats +\S+ → /m)
    expect(await read()).toBe('dense-2')
    expect((await pack(cwd, 'publish', 'docs')).stdout).toContain('unchanged: ')
    expect((await pack(cwd, 'verify', '--all')).status).toBe(0)
  })

  it('publishes nothing with a configuration that is not valid', async () => {
    const cwd = makeFolder({ ...SITE, 'packs.config.json': '{ "domain": 5 }' })
    const run = await pack(cwd, 'publish', 'docs')
    expect(run).toMatchObject({ status: 2, stdout: '' })
    expect(run.stderr).toContain('packs.config.json')
    expect(readdirSync(cwd)).not.toContain('.packs')
  })
})

describe('a pack under the slug of a path, whose file is now published under the slug of its name', () => {
  const WARNING =
    'the catalog already has guides-setup@1.0.0, named after a folder of this file; this publishes setup'

  it('is named with the way to keep it, until the file names its slug or the pack was withdrawn', async () => {
    const cwd = makeFolder(SITE)
    await pack(cwd, 'publish', 'docs')
    const plan = await pack(cwd, 'publish', 'docs/guides/setup.md', '--dry-run', '--json')
    expect([plan.status, listWarnings(plan)]).toEqual([0, [WARNING]])
    expect(parse(plan)[0]!.messages.find(({ rule }) => rule === 'earlier-pack')!.hint).toBe(
      'to continue guides-setup, publish the folder, or add `slug: guides-setup` to the front matter; otherwise withdraw its versions with `pack yank`',
    )
    writeFileSync(join(cwd, 'docs/guides/setup.md'), '# Set up\n\nChanged.\n')
    const edited = await pack(cwd, 'publish', 'docs/guides/setup.md', '--dry-run', '--json')
    expect(listWarnings(edited)).toEqual([WARNING])
    writeFileSync(join(cwd, 'docs/guides/setup.md'), '---\nslug: set-up\n---\n# Set up\n\nChanged.\n')
    const named = await pack(cwd, 'publish', 'docs/guides/setup.md', '--dry-run', '--json')
    expect(listWarnings(named)).toEqual([])
    writeFileSync(join(cwd, 'docs/guides/setup.md'), SITE['docs/guides/setup.md'])
    await pack(cwd, 'yank', 'guides-setup@1.0.0', '--reason', 'moved')
    const yanked = await pack(cwd, 'publish', 'docs/guides/setup.md', '--dry-run', '--json')
    expect(listWarnings(yanked)).toEqual([])
  })

  it('is not named if it is of another file, or names its slug itself', async () => {
    const cwd = makeFolder(SITE)
    const other = makeFolder({ 'guides/setup.md': '# Other\n', 'own/guides-setup.md': '# Own\n' })
    const data = join(other, '.packs')
    await pack(other, 'publish', 'own/guides-setup.md')
    expect(listWarnings(await pack(other, 'publish', 'guides/setup.md', '--json'))).toEqual([])
    expect(
      listWarnings(await pack(cwd, 'publish', 'docs/guides/setup.md', '--json', '--data', data)),
    ).toEqual([])
  })
})

describe('a pack under the slug of a name, whose file is now published from a folder', () => {
  const WARNING =
    "the catalog already has setup@1.0.0, named after this file's name; this publishes guides-setup"

  it('is named once with the way to keep it, until the file names its slug', async () => {
    const cwd = makeFolder(SITE)
    await pack(cwd, 'publish', 'docs/guides/setup.md')
    const plan = await pack(cwd, 'publish', 'docs', '--dry-run', '--json')
    expect([plan.status, listWarnings(plan)]).toEqual([0, [WARNING]])
    const run = await pack(cwd, 'publish', 'docs')
    expect(run.status).toBe(0)
    expect(run.stderr.split(`docs/guides/setup.md warning ${WARNING} earlier-pack\n`)).toHaveLength(2)
    expect(run.stderr).toContain('add `slug: setup` to the front matter')
    writeFileSync(join(cwd, 'docs/guides/setup.md'), '---\nslug: setup\n---\n# Set up\n\nInstall it.\n')
    expect(listWarnings(await pack(cwd, 'publish', 'docs', '--json'))).toEqual([])
  })

  it('is also found from another folder, and after the file was moved unchanged', async () => {
    const cwd = makeFolder(SITE)
    await runInProcess(['publish', 'setup.md', '--data', '../../.packs'], {
      cwd: join(cwd, 'docs/guides'),
      env: NONE,
    })
    expect(listWarnings(await pack(cwd, 'publish', 'docs', '--dry-run', '--json'))).toEqual([WARNING])
    const moved = makeFolder({ 'site/a/b/setup.md': SITE['docs/guides/setup.md'] })
    const run = await pack(moved, 'publish', 'site', '--dry-run', '--json', '--data', join(cwd, '.packs'))
    expect(listWarnings(run)).toEqual([WARNING.replace('guides-setup', 'a-b-setup')])
  })

  it('is not named if it is of another file, is published too, or was withdrawn', async () => {
    const cwd = makeFolder({ ...SITE, 'old/setup.md': '# Old\n\nAnother file.\n' })
    await pack(cwd, 'publish', 'old/setup.md')
    expect(listWarnings(await pack(cwd, 'publish', 'docs', '--dry-run', '--json'))).toEqual([])
    writeFileSync(join(cwd, 'docs/setup.md'), SITE['docs/guides/setup.md'])
    await pack(cwd, 'publish', 'docs/guides/setup.md')
    expect(listWarnings(await pack(cwd, 'publish', 'docs', '--dry-run', '--json'))).toEqual([])
    const other = makeFolder(SITE)
    await pack(other, 'publish', 'docs/guides/setup.md')
    await pack(other, 'yank', 'setup@1.0.0', '--reason', 'moved')
    expect(listWarnings(await pack(other, 'publish', 'docs', '--dry-run', '--json'))).toEqual([])
  })
})

describe('pack publish of a site', () => {
  it('publishes resolved includes, and messages name the lines of the file', async () => {
    const cwd = makeFolder({
      '.git/HEAD': '',
      'docs/a.md': '# A\n\n{{#include part.txt}}\n\n<!-- pack:other -->\n',
      'docs/part.txt': 'one\ntwo\nthree\n',
      'docs/bad.md': '# Bad\n\n{{#include ../../out.txt}}\n',
    })
    const run = await pack(cwd, 'publish', 'docs')
    expect(run.status).toBe(1)
    expect(run.stderr).toContain('docs/a.md:5:1 warning')
    expect(run.stderr).toContain('docs/bad.md:3: {{#include ../../out.txt}} cannot be resolved')
    const catalog = await openCatalog({ url: `sqlite:${join(cwd, '.packs/catalog.sqlite')}` })
    const version = await catalog.packs.version('a', '1.0.0')
    expect(openDocument(version!).content).toBe('# A\n\none\ntwo\nthree\n\n<!-- pack:other -->\n')
    await catalog.close()
  })

  it('names versions whose source is skipped now, and how to withdraw them', async () => {
    const cwd = makeFolder(SITE)
    await pack(cwd, 'publish', 'docs')
    writeFileSync(join(cwd, 'docs/guides/setup.md'), '---\ndraft: true\n---\n# Set up\n\nInstall it.\n')
    const skipped = 'this source is skipped (draft), but the catalog has guides-setup@1.0.0 skipped-source'
    for (const option of ['--dry-run', '--wait']) {
      const { status, stderr } = await pack(cwd, 'publish', 'docs', option)
      expect(status).toBe(0)
      expect(stderr).toContain(`docs/guides/setup.md warning ${skipped}`)
      expect(stderr).toContain('`pack yank guides-setup@1.0.0`')
    }
    const { stdout } = await pack(cwd, 'publish', 'docs', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, messages: [{ rule: 'skipped-source' }] })
    await pack(cwd, 'yank', 'guides-setup@1.0.0', '--reason', 'a draft')
    expect((await pack(cwd, 'publish', 'docs')).stderr).not.toContain('skipped-source')
  })
})
