import { execFileSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runInProcess, type Printed } from '../../../test-kit/test/run-in-process.ts'
import { REPOSITORY, makeFolder } from '../../../test-kit/test/run-pack.ts'

/** Pages, and what readers of the site do not see. */
const SITE = {
  ...REPOSITORY,
  'docs/index.md': '# Home\n',
  'docs/_index.md': '# Section\n',
  'docs/_index.fr.md': '---\nslug: docs-fr\n---\n# Section\n',
  'docs/live.md': '---\ndraft: false\npublished: 2019-01-01\nunlisted: false\n---\n# Live\n',
  'docs/words.md': '# Words\n\ndraft: true\n',
  'docs/yaml.md': '---\ntitle: Draft\nDraft: true\nslug: live\n---\n# Draft\n',
  'docs/old-yaml.md': '---\ndraft: yes\n---\n# Draft\n',
  'docs/toml.md': '+++\ndraft = true\n+++\n# Draft\n',
  'docs/json.md': '{\n  "draft": true\n}\n# Draft\n',
  'docs/jekyll.md': '---\npublished: false\n---\n# Unpublished\n',
  'docs/docusaurus.mdx': '---\nunlisted: true\n---\n# Unlisted\n',
  'docs/_partials/note.md': '# Note\n',
  'docs/_partials/deep/more.md': '# More\n',
  'docs/guides/_footer.md': '# Footer\n',
  'docs/_posts/2026-01-01-news.md': '# News\n',
}
const PACKS = ['docs-fr', 'docs', 'live', 'posts-2026-01-01-news', 'words'].map((slug) => `${slug}.pack.json`)

function listPacks(cwd: string): string[] {
  return readdirSync(join(cwd, 'dist')).filter((name) => name.endsWith('.pack.json'))
}

function build(cwd: string, ...args: string[]): Promise<Printed> {
  return runInProcess(['build', ...args], { cwd })
}

describe('pages that readers of a site do not see', () => {
  it('are not built, take no slug of others, and are counted', async () => {
    const cwd = makeFolder({ ...SITE, 'docs/_index.md': '---\ndraft: true\n---\n' })
    const { status, stderr } = await build(cwd, 'docs', '--max-warnings', '0')
    expect(status).toBe(0)
    expect(listPacks(cwd)).toEqual(PACKS)
    expect(stderr).toContain(
      'skipped 5 drafts, 3 partials, 1 unlisted page, 1 unpublished page (--drafts takes drafts, unlisted pages and partials)\n',
    )
    const { stdout } = await build(cwd, 'docs', '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      left_out: { draft: 5, partial: 3, 'unpublished page': 1, 'unlisted page': 1 },
    })
  })

  it('are built with --drafts', async () => {
    const { 'docs/yaml.md': _, 'docs/_index.md': __, ...site } = SITE
    const cwd = makeFolder(site)
    expect((await build(cwd, 'docs', '--drafts')).status).toBe(0)
    expect(listPacks(cwd)).toHaveLength(Object.keys(site).filter((name) => name.startsWith('docs/')).length)
  })

  it.each([
    ['a file', ['docs/yaml.md'], 1],
    ['a folder', ['docs/_partials'], 2],
    ['a glob of such names', ['docs/**/_*.md', 'docs/_partials/**/*.md'], 5],
  ])('are built if the command names them: %s', async (_, inputs, count) => {
    const cwd = makeFolder(SITE)
    expect((await build(cwd, ...inputs)).status).toBe(0)
    expect(listPacks(cwd)).toHaveLength(count)
  })

  it('are built if the configuration names them', async () => {
    const config = { sources: ['docs/_partials', 'docs/jekyll.md'] }
    const cwd = makeFolder({ ...SITE, 'packs.config.json': JSON.stringify(config) })
    expect((await build(cwd)).status).toBe(0)
    expect(listPacks(cwd)).toEqual(['deep-more.pack.json', 'jekyll.pack.json', 'note.pack.json'])
  })

  it('are skipped with all that is wrong in their folders', async () => {
    const cwd = makeFolder({ 'docs/a.md': '# A\n', 'docs/_old/x.pack.json': '{}', 'docs/_old/b.md': '# B\n' })
    expect((await build(cwd, 'docs')).status).toBe(0)
    expect(listPacks(cwd)).toEqual(['a.pack.json'])
  })

  it.each(['collections: [docs, more]', 'collections: {docs: {output: true}}', '"collections":\n  - docs'])(
    'are not the collections of Jekyll, nor a README that has the slug of one: %s',
    async (settings) => {
      const cwd = makeFolder({
        'docs/_config.yml': `title: T\n${settings}\n`,
        'docs/_docs/index.md': '# Docs\n',
        'docs/_docs/a.md': '# A\n',
        'docs/_includes/b.md': '# B\n',
        'docs/readme.md': '# About\n',
      })
      const { status, stderr } = await build(cwd, 'docs')
      expect(status).toBe(0)
      expect(listPacks(cwd)).toEqual(['docs-a.pack.json', 'docs.pack.json'])
      expect(stderr).toContain('skipped 1 partial')
      expect(stderr).toContain('1 README beside an index')
    },
  )

  it('lose their recorded packs with --clean', async () => {
    const cwd = makeFolder({ 'docs/a.md': '# A\n', 'docs/b.md': '# B\n' })
    await build(cwd, 'docs')
    writeFileSync(join(cwd, 'docs/b.md'), '---\ndraft: true\n---\n# B\n')
    expect((await build(cwd, 'docs')).stderr).toContain('the source of 1 pack is gone')
    await build(cwd, 'docs', '--clean')
    expect(listPacks(cwd)).toEqual(['a.pack.json'])
  })

  it('say so if nothing else is there', async () => {
    const cwd = makeFolder({ 'docs/_a.md': '# A\n', 'docs/b.md': '---\ndraft: true\n---\n' })
    const { status, stderr } = await build(cwd, 'docs')
    expect(status).toBe(1)
    expect(stderr).toContain('all markdown in docs is drafts, unlisted pages, partials or pages without text')
    expect(stderr).toContain('--drafts')
  })
})

describe('pages that a site hides', () => {
  it.each([
    [
      'by what Hugo gives the pages below a folder',
      {
        'hugo.toml': 'title = "a"\n',
        'content/_index.md': '---\ncascade:\n  type: docs\n---\n# Home\n',
        'content/open.md': '# Open\n',
        'content/terms/_index.md': '---\ncascade:\n  build: {render: never}\n---\n# Terms\n',
        'content/terms/a.md': '# A\n',
        'content/terms/deep/b.md': '---\ntitle: B\n---\nb\n',
        'content/terms/own.md': '---\nbuild: {render: always}\n---\n# Own\n',
        'content/next/_index.md': '+++\n[[cascade]]\ndraft = true\n+++\n# Next\n',
        'content/next/c.md': '# C\n',
        'content/next/d.md': '+++\ndraft = false\n+++\n# D\n',
        'content/next/near/_index.md': '{"cascade": {"draft": false}}\n# Near\n',
        'content/next/near/e.md': '# E\n',
        'content/some/_index.md':
          '---\ncascade:\n  - target: {path: /some/f*, kind: page}\n    draft: true\n---\n# Some\n',
        'content/some/f.md': '# F\n',
        'content/some/g.md': '# G\n',
        'content/post/index.md': '---\ndraft: true\n---\n# Post\n',
        'content/post/part.md': '# Part\n',
      },
      ['next', 'next-d', 'next-near-e', 'open', 'some', 'some-g', 'terms', 'terms-own'],
    ],
    [
      'by the date of Hugo',
      {
        'hugo.yaml': 'title: a\n',
        'content/late.md': '---\ndate: 2099-01-01\n---\n# Late\n',
        'content/early.md': '---\ndate: 2099-01-01\npublishDate: 2001-01-01\n---\n# Early\n',
      },
      ['early'],
    ],
    [
      'but not with buildFuture',
      { 'hugo.yaml': 'buildFuture: true\n', 'content/late.md': '---\ndate: 2099-01-01\n---\n# Late\n' },
      ['late'],
    ],
    [
      'by the date of posts and the settings of Jekyll',
      {
        '_config.yml': 'title: a\nexclude:\n- hidden.md # not yet\n- "secret/"\nplugins: [b]\n',
        'content/page.md': '---\ndate: 2099-01-01\n---\n# Page\n',
        'content/_posts/2099-01-01-late.md': '# Late\n',
        'content/_posts/2001-01-01-early.md': '# Early\n',
        'content/_posts/2001-01-01-moved.md': '---\ndate: 2099-01-01\n---\n# Moved\n',
        'content/hidden.md': '# Not of the root\n',
        'secret/a.md': '# Secret\n',
        'hidden.md': '# Hidden\n',
      },
      ['content-hidden', 'content-page', 'content-posts-2001-01-01-early'],
    ],
    [
      'by the settings of MkDocs',
      {
        'mkdocs.yml':
          'site_name: a\ndraft_docs: |\n  wip-*.md\n  /drafts/\n  !drafts/open.md\nexclude_docs: old.md\nnav: []\n',
        'docs/wip-a.md': '# Wip\n',
        'docs/drafts/b.md': '# B\n',
        'docs/deep/drafts/c.md': '# C\n',
        'docs/deep/old.md': '# Old\n',
      },
      ['docs-deep-drafts-c'],
    ],
  ])('are not built: %s', async (_name, files, slugs) => {
    const cwd = makeFolder(files)
    await build(cwd, '.', '--now', '2026-01-01')
    const built = listPacks(cwd).map((name) =>
      name.replace('.pack.json', '').replace(/^content-(?!hid|page|posts)/, ''),
    )
    expect(built.filter((slug) => slug !== 'content').toSorted()).toEqual(slugs)
  })
})

describe('pages that their dates hide', () => {
  const DATED = {
    'docs/live.md': '---\npublishDate: 2020-01-01\nexpiryDate: 2030-01-01\n---\n# Live\n',
    'docs/past.md': '---\nExpiryDate: 2024-06-01\n---\n# Past\n',
    'docs/late.md': '+++\npublishDate = 2024-06-02T00:00:00Z\n+++\n# Late\n',
    'docs/other.md': '# Other\n',
  }

  it.each([
    ['2024-05-01', ['live', 'other', 'past'], '2024-05-01T00:00:00.000Z, the time of --now'],
    ['2024-07-01T10:00:00+02:00', ['late', 'live', 'other'], '2024-07-01T08:00:00.000Z, the time of --now'],
    ['2031-01-01T00:00Z', ['late', 'other'], '2031-01-01T00:00:00.000Z, the time of --now'],
  ])('are not built as of --now %s', async (now, slugs, note) => {
    const cwd = makeFolder(DATED)
    const { stderr } = await build(cwd, 'docs', '--verbose', '--now', now)
    expect(listPacks(cwd)).toEqual(slugs.map((slug) => `${slug}.pack.json`))
    expect(stderr).toContain(note)
    expect(stderr).toContain('unlisted page')
  })

  it('are judged by the commit, or else by the clock', async () => {
    const cwd = makeFolder(DATED)
    expect((await build(cwd, 'docs', '--verbose')).stderr).toContain('the clock of the build')
    const env = { ...process.env, GIT_COMMITTER_DATE: '2024-05-01T00:00:00Z' }
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.example']
    for (const args of [
      ['init', '-q'],
      [...identity, 'commit', '-q', '--allow-empty', '-m', 'a'],
    ])
      execFileSync('git', args, { cwd, env })
    const { stdout } = await build(cwd, 'docs', '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      left_out: { 'unlisted page': 1 },
      messages: [{ file: 'docs/late.md', message: expect.stringContaining('2024-05-01T00:00:00.000Z') }],
    })
  })

  it.each(['yesterday', '2024', '2024-13-01', '2024-01-01T10', ''])('need a time: --now %s', async (now) => {
    const { status, stderr } = await build(makeFolder(DATED), 'docs', '--now', now)
    expect(status).toBe(2)
    expect(stderr).toContain('2026-05-01T12:00:00Z')
  })
})

describe('many pages with one fault', () => {
  const files = Array.from({ length: 30 }, (_, at) => [
    [`docs/a${at}.md`, `---\ntitle: {#if a${at}}\n---\n# A\n\nA needle.\n`],
    [`docs/b${at}.md`, `---\nbudget: few\n---\n# B\n`],
    [`docs/c${at}.md`, `----\ndraft: true\n----\n# C\n`],
  ])
  const PAGES = Object.fromEntries(files.flat())

  it('are told once, with the first place', async () => {
    const { stderr } = await build(makeFolder(PAGES), 'docs')
    const lines = stderr.split('\n').filter((line) => line.includes('30 times in 30 files'))
    expect(lines).toEqual([
      expect.stringMatching(/^docs\/a0\.md:2:9 warning The front matter .* front-matter-yaml$/),
      expect.stringMatching(/^docs\/b0\.md:2:9 error budget must be .* invalid-value$/),
      expect.stringMatching(/^docs\/c0\.md warning The block at the top says draft: true .* unread-draft$/),
    ])
    expect(stderr).toContain('30 drafts')
  })

  it('are told once before an answer', async () => {
    const { stdout, stderr } = await runInProcess(['context', 'needle', 'docs'], { cwd: makeFolder(PAGES) })
    expect(stdout).toContain('A needle.')
    expect(stdout).not.toContain('# C')
    expect(stderr).toContain('docs/b0.md is skipped: budget must be')
    expect(stderr.trim().split('\n').length).toBeLessThan(8)
  })
})
