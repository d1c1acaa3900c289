import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeLeftOut } from '../../src/output/diagnostic.ts'
import { findSources } from '../../src/config/resolve-sources.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

/** Returns the slug that each source gets from its path; `-` for those that keep the slug of their name. */
async function findSlugs(
  cwd: string,
  inputs: readonly string[],
  extensions: readonly string[] = [],
): Promise<object> {
  const { files, failures } = await findSources({ inputs, cwd, folder: join(cwd, 'dist'), extensions })
  expect(failures).toEqual([])
  return Object.fromEntries(files.map(({ shown, defaults: given }) => [shown, given?.slug ?? '-']))
}

const SITE = {
  'docs/index.md': '',
  'docs/intro.md': '',
  'docs/guides/_index.md': '',
  'docs/guides/tls.md': '',
  'docs/guides/deep/README.MD': '',
  'docs/api/tls.mdx': '',
}
const SLUGS = {
  'docs/api/tls.mdx': 'api-tls',
  'docs/guides/_index.md': '-',
  'docs/guides/deep/README.MD': 'guides-deep',
  'docs/guides/tls.md': 'guides-tls',
  'docs/index.md': '-',
  'docs/intro.md': '-',
}

describe('findSources', () => {
  it('gives files of a folder the slug of their path below it', async () => {
    const cwd = makeFolder(SITE)
    expect(await findSlugs(cwd, ['docs'])).toEqual(SLUGS)
    const inside = Object.entries(SLUGS).map(([name, slug]) => [name.replace('docs/', ''), slug])
    expect(await findSlugs(join(cwd, 'docs'), ['.'])).toEqual(Object.fromEntries(inside))
  })

  it('omits a README beside an index, unless it is named', async () => {
    const cwd = makeFolder({
      'docs/index.mdx': '',
      'docs/README.md': '',
      'docs/guides/_index.md': '',
      'docs/guides/readme.markdown': '',
      'docs/api/README.md': '',
    })
    const find = (...inputs: string[]): ReturnType<typeof findSources> =>
      findSources({ inputs, cwd, folder: join(cwd, 'dist') })
    const { files, leftOut } = await find('docs')
    expect(files.map(({ shown }) => shown)).toEqual([
      'docs/api/README.md',
      'docs/guides/_index.md',
      'docs/index.mdx',
    ])
    expect(leftOut).toEqual([
      { shown: 'docs/README.md', kind: 'README beside an index' },
      { shown: 'docs/guides/readme.markdown', kind: 'README beside an index' },
    ])
    expect(describeLeftOut(leftOut, false).map(({ message }) => message)).toEqual([
      'skipped 2 READMEs beside an index',
    ])
    expect((await find('docs', 'docs/README.md')).files.map(({ shown }) => shown)).toContain('docs/README.md')
    expect((await find('docs/guides/*')).leftOut).toEqual([leftOut[1]])
  })

  it('takes no slug from the name of a clone', async () => {
    const clone = makeFolder({ 'README.md': '', 'docs/index.md': '', '.git/HEAD': '' })
    const slugs = { 'README.md': 'readme', 'docs/index.md': '-' }
    expect(await findSlugs(clone, ['.'])).toEqual(slugs)
    expect(await findSlugs(clone, ['**/*.md'])).toEqual(slugs)
    const worktree = makeFolder({ 'index.md': '', '.git': 'gitdir: /clone/.git/worktrees/a' })
    expect(await findSlugs(worktree, ['.'])).toEqual({ 'index.md': 'index' })
  })

  it('counts a glob from its fixed part', async () => {
    const cwd = makeFolder(SITE)
    expect(await findSlugs(cwd, ['docs/**/tls.*'])).toEqual({
      'docs/api/tls.mdx': 'api-tls',
      'docs/guides/tls.md': 'guides-tls',
    })
    expect(await findSlugs(cwd, ['*/guides/*.md'])).toEqual({
      'docs/guides/_index.md': 'docs-guides',
      'docs/guides/tls.md': 'docs-guides-tls',
    })
  })

  it('leaves a file that is named directly its bare name, before and after its folder', async () => {
    const cwd = makeFolder(SITE)
    const named = { ...SLUGS, 'docs/guides/tls.md': '-' }
    expect(await findSlugs(cwd, ['docs', 'docs/guides/tls.md'])).toEqual(named)
    expect(await findSlugs(cwd, ['docs/guides/tls.md', 'docs'])).toEqual(named)
  })

  it('gives a file its own slug, although a link to it comes first', async () => {
    const cwd = makeFolder({ 'docs/b/tls.md': '' })
    symlinkSync('b/tls.md', join(cwd, 'docs/a.md'))
    expect(await findSlugs(cwd, ['docs'])).toEqual({ 'docs/b/tls.md': 'b-tls' })
  })

  it('takes further extensions, and derives slugs without them', async () => {
    const cwd = makeFolder({ 'docs/a/x.rst': '', 'docs/y.TXT': '', 'docs/z.md': '', 'docs/a.rst.bak': '' })
    expect(await findSlugs(cwd, ['docs'], ['.rst', 'txt'])).toEqual({
      'docs/a/x.rst': 'a-x',
      'docs/y.TXT': '-',
      'docs/z.md': '-',
    })
  })

  it('lists what it omits by kind', async () => {
    const cwd = makeFolder({
      '.git/HEAD': '',
      '.gitignore': '*.tmp.md\ndrafts/\n',
      'docs/a.md': '',
      'docs/a.tmp.md': '',
      'docs/drafts/b.md': '',
      'docs/img/c.PNG': '',
      'docs/LICENSE': '',
      'docs/old/d.md': '',
    })
    const ignore = { folder: cwd, patterns: ['docs/old'] }
    const { files, leftOut } = await findSources({ inputs: ['docs'], cwd, folder: cwd, ignore })
    expect(files.map(({ shown }) => shown)).toEqual(['docs/a.md'])
    expect(leftOut.map(({ shown, kind }) => `${shown} ${kind}`)).toEqual([
      'docs/LICENSE no extension',
      'docs/a.tmp.md ignored file',
      'docs/drafts ignored folder',
      'docs/img/c.PNG .png',
      'docs/old ignored folder',
    ])
  })

  it('names --ext if there are only files of other kinds', async () => {
    const cwd = makeFolder({ 'docs/a.rst': '' })
    await expect(findSources({ inputs: ['docs'], cwd, folder: cwd })).rejects.toThrow(
      expect.objectContaining({ code: 'no_sources', hint: expect.stringContaining('--ext') }),
    )
  })
})
