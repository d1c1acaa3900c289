import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSourceSearch, resolveSources } from '../../src/config/resolve-sources.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

type Settings = NonNullable<Parameters<typeof createSourceSearch>[4]>['config']

/** Returns the dialects and the path of the URL of each page. */
async function describePages(
  files: Readonly<Record<string, string>>,
  config: Settings = { base_url: 'https://example.com/x' },
  inputs: readonly string[] = ['.'],
): Promise<Record<string, string>> {
  const cwd = makeFolder(files)
  mkdirSync(join(cwd, '.git'), { recursive: true })
  const loaded = { config, folder: cwd, path: join(cwd, 'packs.config.json'), shown: 'packs.config.json' }
  const found = await resolveSources(createSourceSearch(inputs, {}, cwd, join(cwd, 'dist'), loaded))
  expect(found.failures).toEqual([])
  const describeOne = ({
    minify = {},
    url = '-',
  }: NonNullable<(typeof found.files)[0]['defaults']>): string =>
    [
      ...(minify.dialect ?? []),
      ...(minify.off ?? []).map((rule) => `no ${rule}`),
      url.replace('https://example.com', ''),
    ].join(' ')
  return Object.fromEntries(found.files.map(({ shown, defaults = {} }) => [shown, describeOne(defaults)]))
}

describe('the files above a page', () => {
  it.each<[tool: string, files: Record<string, string>, expected: Record<string, string>]>([
    [
      'no tool',
      { 'docs/a b.md': 'x', 'docs/c/README.md': 'x', 'é/index.md': 'x' },
      { 'docs/a b.md': '/x/docs/a%20b', 'docs/c/README.md': '/x/docs/c/', 'é/index.md': '/x/%C3%A9/' },
    ],
    [
      'VitePress',
      { '.vitepress/config.ts': 'export default { cleanUrls: true }', 'index.md': 'x', 'guide/a.md': 'x' },
      { 'guide/a.md': 'vue /x/guide/a', 'index.md': 'vue /x/' },
    ],
    [
      'VitePress below a folder',
      { 'docs/.vitepress/theme/a.css': '', 'docs/guide/a.md': 'x', 'README.md': 'x' },
      { 'docs/guide/a.md': 'vue /x/guide/a.html', 'README.md': '/x/' },
    ],
    [
      'Docusaurus, which reads .md as MDX',
      { 'docusaurus.config.ts': '', 'docs/01-start/02-a.md': 'x', 'README.md': 'x' },
      { 'docs/01-start/02-a.md': 'mdx /x/docs/start/a', 'README.md': '-' },
    ],
    [
      'Docusaurus that does not',
      { 'docusaurus.config.js': "markdown: { format: 'detect' }", 'docs/a.md': 'x' },
      { 'docs/a.md': '/x/docs/a' },
    ],
    [
      'Docusaurus beside its pages',
      {
        'website/docusaurus.config.js': "docs: { path: '../docs' }",
        'docs/a.md': 'x',
        'website/blog/b.md': 'x',
        'c.md': 'x',
      },
      { 'docs/a.md': 'mdx /x/docs/a', 'website/blog/b.md': 'mdx /x/blog/b', 'c.md': '/x/c' },
    ],
    [
      'Docusaurus beside pages that it does not read',
      { 'site/docusaurus.config.js': '', 'docs/a.md': 'x' },
      { 'docs/a.md': '/x/docs/a' },
    ],
    [
      'Hugo',
      { 'hugo.toml': '', 'content/My Posts/One.md': 'x', 'content/a/_index.md': 'x', 'README.md': 'x' },
      {
        'content/My Posts/One.md': 'hugo /x/my-posts/one/',
        'content/a/_index.md': 'hugo /x/a/',
        'README.md': 'hugo -',
      },
    ],
    [
      'Hugo with the older name of its settings',
      { 'config.toml': 'baseURL = "https://a.b"', 'layouts/a.html': '', 'content/a.md': 'x' },
      { 'content/a.md': 'hugo /x/a/' },
    ],
    [
      'another tool with that name',
      { 'config.toml': 'baseURL = "https://a.b"', 'content/a.md': 'x' },
      { 'content/a.md': '/x/content/a' },
    ],
    [
      'MkDocs',
      {
        'mkdocs.yml': 'site_name: A\ndocs_dir: "pages" # here\n',
        'pages/a.md': 'x',
        'pages/b/index.md': 'x',
      },
      { 'pages/a.md': 'mkdocs /x/a', 'pages/b/index.md': 'mkdocs /x/b/' },
    ],
    [
      'Jekyll',
      { '_config.yml': 'theme: minima', 'a.md': 'x', '_posts/2020-01-01-b.md': 'x' },
      { 'a.md': 'kramdown /x/a.html', '_posts/2020-01-01-b.md': 'kramdown -' },
    ],
    [
      'Jekyll with another markdown',
      { '_config.yml': 'markdown: CommonMark', 'a.md': 'x' },
      { 'a.md': '/x/a.html' },
    ],
    ['a vault', { '.obsidian/app.json': '{}', 'Notes/A.md': 'x' }, { 'Notes/A.md': 'vault /x/Notes/A' }],
    [
      'a vault that Hugo publishes',
      { '.obsidian/app.json': '{}', 'hugo.yaml': '', 'content/A.md': 'x' },
      { 'content/A.md': 'vault hugo /x/a/' },
    ],
    ['Svelte', { 'svelte.config.js': '', 'src/a.md': 'x' }, { 'src/a.md': 'svelte /x/src/a' }],
    [
      'the nearest of several tools',
      { 'mkdocs.yml': '', 'docs/a.md': 'x', 'book/book.toml': '[book]\nsrc = "text"', 'book/text/a.md': 'x' },
      { 'docs/a.md': 'mkdocs /x/a', 'book/text/a.md': '/x/a.html' },
    ],
  ])('show %s', async (_tool, files, expected) => {
    expect(await describePages(files)).toEqual(expected)
  })

  it('are the same for a file that is named, and for a search without a repository', async () => {
    const files = { 'mkdocs.yml': '', 'docs/a/b.md': 'x' }
    expect(await describePages(files, {}, ['docs/a/b.md'])).toEqual({ 'docs/a/b.md': 'mkdocs -' })
    const cwd = makeFolder(files)
    for (const inputs of [['docs'], ['docs/a/b.md'], ['docs/**/*.md']]) {
      const found = await resolveSources(createSourceSearch(inputs, {}, cwd, join(cwd, 'dist'), undefined))
      expect(found.files.map(({ defaults }) => defaults?.minify)).toEqual([{ dialect: ['mkdocs'] }])
    }
  })
})

describe('a configuration', () => {
  it('names dialects by glob, in place of what the files show, and rules that are off', async () => {
    const files = { 'mkdocs.yml': '', 'docs/a.md': 'x', 'docs/b/c.md': 'x', 'docs/d.md': 'x', 'e.md': 'x' }
    const config = {
      dialect: { 'docs/b': ['vault', 'hugo'], 'docs/d.md': [], 'e.md': 'mdx' },
      minify: { off: ['wraps', 'toc'] },
    } as const
    expect(await describePages(files, config)).toEqual({
      'docs/a.md': 'mkdocs no wraps no toc -',
      'docs/b/c.md': 'vault hugo no wraps no toc -',
      'docs/d.md': 'no wraps no toc -',
      'e.md': 'mdx no wraps no toc -',
    })
    expect(await describePages(files, { dialect: 'kramdown', minify: { dialect: ['vault'] } })).toMatchObject(
      { 'docs/a.md': 'kramdown -' },
    )
    expect(await describePages(files, { minify: { dialect: ['vault'] } })).toMatchObject({
      'docs/a.md': 'vault -',
    })
  })
})
