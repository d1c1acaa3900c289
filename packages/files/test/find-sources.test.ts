import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeLeftOut, findSources as find } from '../src/index.ts'
import { makeFolder } from '../../test-kit/test/run-pack.ts'

const findSources = (search: Parameters<typeof find>[0]): ReturnType<typeof find> =>
  find(search, (file) => file)

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
  'docs/index.md': 'x',
  'docs/intro.md': 'x',
  'docs/guides/_index.md': 'x',
  'docs/guides/tls.md': 'x',
  'docs/guides/deep/README.MD': 'x',
  'docs/api/tls.mdx': 'x',
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
      'docs/index.mdx': 'x',
      'docs/README.md': 'x',
      'docs/guides/_index.md': 'x',
      'docs/guides/readme.markdown': 'x',
      'docs/api/README.md': 'x',
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

  it.runIf(process.platform === 'linux')('separates names that are only composed differently', async () => {
    const cwd = makeFolder({ 'e\u0301.md': 'x', '\u00e9.md': 'x' })
    expect(new Set(Object.values(await findSlugs(cwd, ['.']))).size).toBe(2)
  })

  it('takes no slug from the name of a clone', async () => {
    const clone = makeFolder({ 'README.md': 'x', 'docs/index.md': 'x', '.git/HEAD': '' })
    const slugs = { 'README.md': 'readme', 'docs/index.md': '-' }
    expect(await findSlugs(clone, ['.'])).toEqual(slugs)
    expect(await findSlugs(clone, ['**/*.md'])).toEqual(slugs)
    const worktree = makeFolder({ 'index.md': 'x', '.git': 'gitdir: /clone/.git/worktrees/a' })
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
    const cwd = makeFolder({ 'docs/b/tls.md': 'x' })
    symlinkSync('b/tls.md', join(cwd, 'docs/a.md'))
    expect(await findSlugs(cwd, ['docs'])).toEqual({ 'docs/b/tls.md': 'b-tls' })
  })

  it('takes further extensions, and derives slugs without them', async () => {
    const cwd = makeFolder({
      'docs/a/x.rst': 'x',
      'docs/y.TXT': 'x',
      'docs/z.md': 'x',
      'docs/a.rst.bak': 'x',
    })
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
      'docs/a.md': 'x',
      'docs/a.tmp.md': 'x',
      'docs/drafts/b.md': 'x',
      'docs/img/c.PNG': 'x',
      'docs/LICENSE': 'x',
      'docs/old/d.md': 'x',
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
    const cwd = makeFolder({ 'docs/a.rst': 'x' })
    await expect(findSources({ inputs: ['docs'], cwd, folder: cwd })).rejects.toThrow(
      expect.objectContaining({ code: 'no_sources', hint: expect.stringContaining('--ext') }),
    )
  })
})

describe('what is left out', () => {
  it('accounts for every markdown file, by reason', async () => {
    const cwd = makeFolder({
      'docs/a.md': 'x',
      'docs/.generated/api.md': 'x',
      'docs/.generated/deep/.more/b.mdx': 'x',
      'docs/.generated/c.json': '{}',
      'docs/.d.md': 'x',
      'docs/.e.yml': 'x',
      'docs/.packignore': 'old/\n',
      'docs/old/f.md': 'x',
      'docs/node_modules/p/readme.md': 'x',
      'docs/out/g.md': 'x',
      'docs/.git/h.md': 'x',
      'docs/i.md': '---\ntitle: I\n---\n<!-- later -->\n',
      'docs/_j.md': 'x',
    })
    symlinkSync('a.md', join(cwd, 'docs/k.md'))
    symlinkSync('old', join(cwd, 'docs/l.md'))
    const find = (input: string): ReturnType<typeof findSources> =>
      findSources({ inputs: [input], cwd, folder: join(cwd, 'docs/out') })
    const { files, leftOut } = await find('docs')
    expect(files.map(({ shown }) => shown)).toEqual(['docs/a.md'])
    expect(describeLeftOut(leftOut, false)[0]?.message).toBe(
      'skipped 1 partial, 2 files in a dot folder, 1 page without text, 1 dot file, 1 link to another source, 1 link to a folder, 1 node_modules folder, 1 ignored folder, 1 file in the output folder (--drafts takes drafts, unlisted pages and partials)',
    )
    expect((await find('docs/*')).files).toHaveLength(1)
    const kinds = Map.groupBy((await find('docs/**/*.{md,mdx}')).leftOut, ({ kind }) => kind)
    expect(kinds.get('file in a dot folder')).toHaveLength(3)
    expect((await find('docs/.generated')).files).toHaveLength(1)
    expect((await find('docs/.generated/*.md')).files).toHaveLength(1)
    expect((await find('docs/.generated/api.md')).files).toHaveLength(1)
  })

  it.each<[string, string, boolean]>([
    ['empty.md', '', true],
    ['space.md', '\uFEFF \n\t\r\n\u00A0\n', true],
    ['yaml.md', '---\ntitle: T\n---\n', true],
    ['toml.md', '+++\ntitle = "T"\n+++', true],
    ['json.md', '{\n  "title": "T"\n}\n', true],
    ['comments.md', '---\ntitle: T\n---\n<!-- a -->\n\n<!--\nb\n-->', true],
    ['open.md', '<!-- never ends\n\n# A\n', true],
    ['links.md', '[a b]: c.md\n  [d]: <e> "f"\n', true],
    ['imports.mdx', "import A from './a'\n\n{/* later */}\n", true],
    ['imports.md', "import A from './a'\n", false],
    ['component.mdx', "import A from './a'\n\n<A />\n", false],
    ['image.md', '![](a.png)\n', false],
    ['arabic.md', '---\ntitle: T\n---\nنص\n', false],
    ['rule.md', '---\n\n---\n\n.\n', false],
    ['include.md', '<!-- @include: ./text.txt -->\n', false],
    ['include-blank.md', '<!-- @include: ./blank.txt -->\n', true],
  ])('is a page without text: %s', async (name, text, isEmpty) => {
    const cwd = makeFolder({ [name]: text, 'z.md': 'x', 'text.txt': 'Text', 'blank.txt': '\n' })
    const { leftOut } = await findSources({ inputs: ['.'], cwd, folder: join(cwd, 'dist') })
    expect(leftOut.some(({ shown, kind }) => shown === name && kind === 'page without text')).toBe(isEmpty)
    const named = await findSources({ inputs: [name], cwd, folder: join(cwd, 'dist') })
    expect(named.files).toHaveLength(1)
  })
})
