import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findFiles } from '../src/index.ts'
import { makeFolder } from '../../test-kit/test/run-pack.ts'

const MARKDOWN = /\.(?:md|markdown)$/i

function find(
  cwd: string,
  inputs: readonly string[],
  skip?: string,
): { files: string[]; failures: string[] } {
  const found = findFiles(inputs, {
    cwd,
    pattern: MARKDOWN,
    ...(skip !== undefined && { skip: join(cwd, skip) }),
  })
  return {
    files: found.files.map(({ shown }) => shown),
    failures: found.failures.map(({ code, file }) => `${code} ${file}`),
  }
}

describe('findFiles', () => {
  it('searches folders recursively, sorted by name, and takes markdown', () => {
    const cwd = makeFolder({
      'b.md': '',
      'a/x.markdown': '',
      'a/UPPER.MD': '',
      'a/y.txt': '',
      'c/d/e.md': '',
    })
    const files = ['a/UPPER.MD', 'a/x.markdown', 'b.md', 'c/d/e.md']
    expect(find(cwd, ['.'])).toEqual({ files, failures: [] })
  })

  it.runIf(process.platform === 'linux')('reports files and folders whose name is not UTF-8', () => {
    const cwd = makeFolder({ 'a.md': '' })
    const name = (text: string): Buffer =>
      Buffer.concat([Buffer.from(`${cwd}/`), Buffer.from(text, 'latin1')])
    for (const file of ['gr\xfc\xdfe.md', 'b\xff.txt', '.\xff.md']) writeFileSync(name(file), '')
    mkdirSync(name('d\xe9'))
    const expected = { files: ['a.md'], failures: ['invalid_name d\\xe9', 'invalid_name gr\\xfc\\xdfe.md'] }
    expect(find(cwd, ['.'])).toEqual(expected)
    expect(find(cwd, ['gr*.md']).failures).toEqual(['invalid_name gr\uFFFD\uFFFDe.md'])
    writeFileSync(join(cwd, '.packignore'), 'gr*\nd*/\n')
    expect(find(cwd, ['.'])).toEqual({ files: ['a.md'], failures: [] })
  })

  it('takes a file that is named directly, whatever its extension and the ignore rules', () => {
    const cwd = makeFolder({ 'a.txt': '', '.gitignore': '*.md', 'b.md': '' })
    expect(find(cwd, ['a.txt', 'b.md', '.gitignore']).files).toEqual(['a.txt', 'b.md', '.gitignore'])
  })

  it('applies .gitignore and .packignore up to the repository root, the nearest match first', () => {
    const top = makeFolder({
      '.gitignore': 'outside.md',
      'repo/.git/HEAD': '',
      'repo/.gitignore': 'drafts/\n*.tmp.md\n',
      'repo/.packignore': 'secret.md\n!kept.tmp.md\n',
      'repo/docs/.packignore': '!secret.md\n/local.md\n',
      'repo/docs/secret.md': '',
      'repo/docs/local.md': '',
      'repo/docs/deep/local.md': '',
      'repo/docs/outside.md': '',
      'repo/docs/drafts/a.md': '',
      'repo/docs/b.tmp.md': '',
      'repo/docs/kept.tmp.md': '',
    })
    const expected = ['docs/deep/local.md', 'docs/kept.tmp.md', 'docs/outside.md', 'docs/secret.md']
    expect(find(join(top, 'repo'), ['.']).files).toEqual(expected)
    expect(find(join(top, 'repo'), ['docs']).files).toEqual(expected)
    expect(find(join(top, 'repo'), ['docs/**']).files).toEqual(expected)
  })

  it('searches a folder that is named directly although rules above ignore it', () => {
    const cwd = makeFolder({ '.git/HEAD': '', '.gitignore': 'out/', 'out/a.md': '', 'b.md': '' })
    expect(find(cwd, ['.']).files).toEqual(['b.md'])
    expect(find(cwd, ['out']).files).toEqual(['out/a.md'])
  })

  it('expands globs to markdown, or to the extension they name', () => {
    const cwd = makeFolder({ 'a/x.md': '', 'a/y.txt': '', 'a/b/z.md': '', 'node_modules/m.md': '' })
    expect(find(cwd, ['**/*']).files).toEqual(['a/b/z.md', 'a/x.md'])
    expect(find(cwd, ['a/*.txt']).files).toEqual(['a/y.txt'])
    expect(find(cwd, ['**/*.{md,txt}']).files).toEqual(['a/b/z.md', 'a/x.md', 'a/y.txt'])
    expect(find(cwd, ['q/*.md'])).toEqual({ files: [], failures: ['file_not_found q/*.md'] })
  })

  it('treats a name with brackets as a file if it exists', () => {
    const cwd = makeFolder({ '[slug].md': '', 's.md': '' })
    expect(find(cwd, ['[slug].md']).files).toEqual(['[slug].md'])
  })

  it('returns a file once, even if it is named several times or through a link', () => {
    const cwd = makeFolder({ 'a.md': '' })
    symlinkSync('a.md', join(cwd, 'link.md'))
    expect(find(cwd, ['a.md', './a.md', join(cwd, 'a.md'), 'link.md', '.', '*.md', '-', '-']).files).toEqual([
      'a.md',
      '<stdin>',
    ])
  })

  it('follows links to files, not to folders, and reports broken links', () => {
    const cwd = makeFolder({ 'real/a.md': '', 'real/b.txt': '' })
    symlinkSync(join('..', 'real'), join(cwd, 'real', 'loop'))
    symlinkSync('b.txt', join(cwd, 'real', 'c.md'))
    symlinkSync('absent', join(cwd, 'real', 'd.md'))
    symlinkSync('e.md', join(cwd, 'real', 'e.md'))
    expect(find(cwd, ['real', 'real/d.md'])).toEqual({
      files: ['real/a.md', 'real/c.md'],
      failures: ['broken_link real/d.md', 'broken_link real/e.md', 'broken_link real/d.md'],
    })
  })

  it('reports each missing input and keeps the others', () => {
    const cwd = makeFolder({ 'a.md': '' })
    expect(find(cwd, ['absent.md', 'a.md', 'a.md/b'])).toEqual({
      files: ['a.md'],
      failures: ['file_not_found absent.md', 'file_not_found a.md/b'],
    })
  })
})
