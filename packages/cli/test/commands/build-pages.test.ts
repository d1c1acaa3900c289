import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runInProcess, type Printed } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

/** Pages, and what readers of the site do not see. */
const SITE = {
  '.git/HEAD': '',
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
      'info skipped 5 drafts, 3 partials, 1 unlisted page, 1 unpublished page (--drafts takes drafts, unlisted pages and partials) left-out',
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
    expect(listPacks(cwd)).toHaveLength(Object.keys(site).length - 1)
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
    expect(stderr).toContain('all markdown in docs is drafts, unlisted pages or partials')
    expect(stderr).toContain('--drafts')
  })
})
