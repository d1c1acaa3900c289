import { execFileSync } from 'node:child_process'
import { readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { restore } from '@packs/codec'
import type { Pack } from '@packs/codec/pack'
import { describe, expect, it } from 'vitest'
import { runInProcess, type Printed } from '../../../test-kit/test/run-in-process.ts'
import { REPOSITORY, makeFolder, runPack } from '../../../test-kit/test/run-pack.ts'

interface Built extends Printed {
  /** Returns the source that a pack restores. */
  readonly read: (slug: string) => string
}

async function build(files: Readonly<Record<string, string>>, ...args: string[]): Promise<Built> {
  return buildIn(makeFolder({ ...REPOSITORY, ...files }), ...args)
}

async function buildIn(cwd: string, ...args: string[]): Promise<Built> {
  const printed = await runInProcess(['build', ...(args.length > 0 ? args : ['docs'])], { cwd })
  const read = (slug: string): string => {
    const pack = JSON.parse(readFileSync(join(cwd, 'dist', `${slug}.pack.json`), 'utf8')) as Pack
    return restore(pack, { frontMatter: true })
  }
  return { ...printed, read }
}

const LISTING = [
  'use std::fs;',
  '// ANCHOR: here',
  'fn main() {',
  '    // ANCHOR: inner',
  '    run();',
  '    // ANCHOR_END: inner',
  '}',
  '// ANCHOR_END: here',
  '',
].join('\n')

/** Two parts of one name. */
const TWICE = '// ANCHOR: x\none\n// ANCHOR_END: x\ntwo\n// ANCHOR: x\nthree\n// ANCHOR_END: x\n'

describe('includes of mdBook', () => {
  it.each([
    ['{{#include a.rs:here}}', 'fn main() {\n    run();\n}'],
    ['{{#rustdoc_include a.rs:inner}}', '    run();'],
    ['{{#include b.rs:x}}', 'one'],
    ['{{#rustdoc_include b.rs:x}}', 'one\nthree'],
    ['{{ #include a.rs:1 }}', 'use std::fs;'],
    ['{{#include a.rs:3:}}', LISTING.split('\n').slice(2, 8).join('\n')],
    ['{{#include a.rs::2}}', 'use std::fs;\n// ANCHOR: here'],
    ['{{#include a.rs:5:7}}', '    run();\n    // ANCHOR_END: inner\n}'],
    ['{{#include a.rs}}', LISTING.trimEnd()],
    ['{{#playground a.rs editable}}', `\`\`\`rust,editable\n${LISTING}\`\`\``],
    ['\\{{#include a.rs}}', '\\{{#include a.rs}}'],
    ['{{#include }}', '{{#include }}'],
    ['{{#title Other}}', '{{#title Other}}'],
  ])('%s', async (include, expected) => {
    const { status, read } = await build({
      'docs/page.md': `# P\n\n${include}\n\nEnd\n`,
      'docs/a.rs': LISTING,
      'docs/b.rs': TWICE,
    })
    expect(status).toBe(0)
    expect(read('page')).toBe(`# P\n\n${expected}\n\nEnd\n`)
  })

  it('keeps the marks of lists and quotes, and inserts files of other folders and inside each other', async () => {
    const { read, stderr } = await build(
      {
        'src/page.md':
          '- item\n\n  {{#include ../listings/one.txt}}\n\n> {{#include ../listings/two.md}} end\n',
        'listings/one.txt': 'first\r\nsecond\r\n',
        'listings/two.md': 'a\n{{#include one.txt:2}}',
      },
      'src',
      '--verbose',
    )
    expect(read('page')).toBe('- item\n\n  first\n  second\n\n> a\n> second end\n')
    expect(stderr).toContain('resolved 3 includes')
  })
})

describe('includes of VitePress', () => {
  const PART = '---\ntitle: Part\n---\n# Part\n\n## One\n\nText one\n\n## Two {#second}\n\nText two\n'
  const CODE =
    'before\n// #region use\nuse()\n// #region inner\nmore()\n// #endregion inner\n// #endregion use\nafter\n'

  it.each([
    ['<!--@include: ./part.txt-->', 'one\ntwo\nthree\n'],
    ['<!-- @include: part.txt{2,} -->', 'two\nthree\n'],
    ['<!--@include: ./part.txt{,1}-->', 'one'],
    ['<!--@include: ./part.txt{2,2}-->', 'two'],
    ['<!--@include: ./part.md-->', PART.slice(PART.indexOf('# Part'))],
    ['<!--@include: ./part.md#one-->', '\nText one\n'],
    ['<!--@include: ./part.md#second-->', '\nText two\n'],
    ['<!--@include: ./code.ts#use-->', 'use()\n// #region inner\nmore()\n// #endregion inner'],
    ['<!--@include: ./data.yml#use-->', '- region: one\nregion: two'],
    ['<!--@include: @/shared/all.txt-->', 'shared'],
    ['<!--@include: /part.txt{2,2}-->', 'two'],
    ['<!-- a comment -->', '<!-- a comment -->'],
  ])('%s', async (include, expected) => {
    const { status, read } = await build(
      {
        'site/.vitepress/config.ts': '',
        'site/src/guide/page.md': `${include} end\n`,
        'site/src/guide/part.txt': 'one\ntwo\nthree\n',
        'site/src/guide/part.md': PART,
        'site/src/guide/code.ts': CODE,
        'site/src/guide/data.yml': 'a: 1\n# region use\n- region: one\nregion: two\n# endregion\nb: 2\n',
        'site/src/shared/all.txt': 'shared',
      },
      'site/src/guide/page.md',
    )
    expect(status).toBe(0)
    expect(read('page')).toBe(`${expected} end\n`)
  })
})

describe('an include that cannot be resolved', () => {
  it.each([
    ['out of the repository', '{{#include ../../secret.md}}', 'the file is outside of '],
    ['by an absolute path', '{{#include /etc/passwd}}', 'the file is outside of '],
    ['a hidden file', '{{#include ../.env}}', 'hidden'],
    ['a file of git', '<!--@include: ../.git/HEAD-->', 'hidden'],
    ['an ignored file', '{{#include ../private/key.md}}', 'ignored'],
    ['through a link', '{{#include link.md}}', 'symbolic link'],
    ['through a link to a folder', '{{#include linked/part.md}}', 'symbolic link'],
    ['a link in a circle', '{{#include round.md}}', 'symbolic link'],
    [
      'in a circle',
      '{{#include round-a.md}}',
      'docs/round-a.md includes docs/round-b.md includes docs/round-a.md',
    ],
    ['itself', '<!--@include: ./page.md-->', 'docs/page.md includes docs/page.md'],
    [
      'in too many levels',
      '{{#include deep/0.md}}',
      'in docs/deep/9.md, {{#include 10.md}}: more than 10 files',
    ],
    ['a folder', '{{#include deep}}', 'it is a folder'],
    ['a device', '{{#include pipe}}', 'a pipe or a device'],
    ['a file of 1 GB', '{{#include large.md}}', 'larger than 4 MiB'],
    ['what is no text', '{{#include binary}}', 'not UTF-8 text'],
  ])('%s', async (_, include, message) => {
    const cwd = makeFolder({
      'secret.md': 'THE SECRET',
      'repo/.git/HEAD': '',
      'repo/.env': 'THE SECRET',
      'repo/.gitignore': 'private\n',
      'repo/private/key.md': 'THE SECRET',
      'repo/docs/page.md': `# Page\n\nText ${include}\n`,
      'repo/docs/other.md': '# Other\n\n{{#include part.md}}\n',
      'repo/docs/part.md': 'part\n',
      'repo/docs/round-a.md': '{{#include round-b.md}}',
      'repo/docs/round-b.md': '{{#include round-a.md}}',
      'repo/docs/large.md': '',
      ...Object.fromEntries(
        Array.from({ length: 10_000 }, (_level, at) => at)
          .filter((at) => at < (include.includes('deep') ? 10_000 : 1))
          .map((at) => [`repo/docs/deep/${at}.md`, `{{#include ${at + 1}.md}}`]),
      ),
    })
    const docs = join(cwd, 'repo/docs')
    truncateSync(join(docs, 'large.md'), 1024 ** 3)
    symlinkSync('../../secret.md', join(docs, 'link.md'))
    symlinkSync('.', join(docs, 'linked'))
    symlinkSync('round.md', join(docs, 'round.md'))
    writeFileSync(join(docs, 'binary'), Buffer.from([0xff, 0xfe, 0]))
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(docs, 'pipe')])
    const { status, stderr, read } = await buildIn(join(cwd, 'repo'), 'docs/page.md', 'docs/other.md')
    expect(status).toBe(1)
    expect(stderr).toContain(`docs/page.md:3:6 error ${include} cannot be resolved: `)
    expect(stderr).toContain(message)
    expect(read('other')).toBe('# Other\n\npart\n')
    expect(() => read('page')).toThrow('ENOENT')
  })

  it('names each of several, and stops at 1,000 files', async () => {
    const { stderr } = await build({
      'docs/two.md': '{{#include /a}}\n\n{{#include /b}}\n',
      'docs/many.md': '{{#include part.txt}}\n'.repeat(1001),
      'docs/part.txt': 'x',
    })
    expect(stderr).toContain('docs/two.md:1:1 error')
    expect(stderr).toContain('docs/two.md:3:1 error')
    expect(stderr).toContain('docs/many.md:1001:1 error')
    expect(stderr).toContain('more than 1000 includes')
  })

  it('of a file that is not there stays, with a warning for each in a site of the tool, and elsewhere for all', async () => {
    const files = {
      'docs/page.md': '# P\n\n{{#include no.md}}\n',
      'docs/a.rs': 'x',
      'docs/b.md': '{{#include a.rs:no}}',
    }
    const example = await build(files, 'docs')
    expect(example.status).toBe(0)
    expect(example.read('page')).toBe('# P\n\n{{#include no.md}}\n')
    expect(example.stderr).toContain(
      'docs/b.md:1:1 warning 2 mdBook includes in 2 files are not in their packs',
    )
    const site = await build({ ...files, 'book.toml': '' }, 'docs', '--max-warnings', '0')
    expect(site.status).toBe(1)
    expect(site.stderr).toContain('docs/page.md:3:1 warning {{#include no.md}}: the file does not exist')
    expect(site.stderr).toContain('docs/b.md:1:1 warning {{#include a.rs:no}}: the file has no part "no"')
  })
})

describe('the root of includes', () => {
  it('is the folder of the configuration without a repository, and else that of the input', async () => {
    const files = { 'site/docs/page.md': '{{#include ../part.txt}}\n', 'site/part.txt': 'part' }
    const without = await buildIn(makeFolder(files), 'site/docs')
    expect(without.stderr).toContain('the file is outside of ')
    const cwd = makeFolder({ ...files, 'site/packs.config.json': '{"sources":["docs"]}' })
    const configured = await buildIn(cwd, '--config', 'site/packs.config.json', '-o', 'dist')
    expect(configured.read('page')).toBe('part\n')
  })
})

describe('a source with includes', () => {
  it('is rebuilt when an included file changes, and has the right lines in messages', async () => {
    const cwd = makeFolder({
      '.git/HEAD': '',
      'node_modules/.keep': '',
      'package.json': '{}',
      'docs/page.md': '# P\n\n{{#include part.txt}}\n\n<!-- pack:unknown -->\n',
      'docs/part.txt': 'one\ntwo\nthree\n',
    })
    const build1 = await buildIn(cwd)
    expect(build1.stderr).toContain('docs/page.md:5:1 warning')
    writeFileSync(join(cwd, 'docs/part.txt'), 'changed\n')
    expect((await buildIn(cwd)).read('page')).toBe('# P\n\nchanged\n\n<!-- pack:unknown -->\n')
  })

  it('decodes to the resolved text with its front matter', async () => {
    const { read } = await build({
      'docs/page.md': '---\ntitle: P\n---\n{{#include part.txt}}\n',
      'docs/part.txt': 'x',
    })
    expect(read('page')).toBe('---\ntitle: P\n---\nx\n')
  })
})

describe('what is not resolved', () => {
  it('is counted once a kind', async () => {
    const { status, stderr } = await build(
      {
        'docs/hugo.md': '{{< note >}}a{{< /note >}} {{% tip %}} {{</* shown */>}} {{< relref "a" >}}\n',
        'docs/more.md': '{{< embed a >}} {{% include "b" %}}\n',
        'docs/jekyll.md':
          '{% include note.html %} {%- include_relative a.md -%} {% raw %}\n\n```\n{% include shown.html %}\n```\n',
        'docs/mkdocs.md': '--8<-- "a.md"\n',
        'docs/myst.md': '```{literalinclude} a.py\n```\n',
        'docs/docusaurus.mdx': "import Part from './_part.mdx'\nimport { A } from './a.js'\n\nText\n",
        'docs/vitepress.md': '<<< @/snippets/a.js\n\n```\n<<< @/shown.js\n```\n',
      },
      'docs',
    )
    expect(status).toBe(0)
    expect(stderr).toContain('hint: write the text into the page, or insert it with `prepare`')
    for (const line of [
      'docs/hugo.md:1:1 warning 3 Hugo shortcodes',
      '2 Jekyll includes',
      '1 snippet of MkDocs (--8<--)',
      '1 literalinclude directive',
      '1 MDX import of a page',
      '1 snippet of VitePress (<<<)',
    ])
      expect(stderr).toContain(line)
  })
})

it('a text on stdin without a name keeps its includes, and says so', async () => {
  const cwd = makeFolder({ 'a.md': '{{#include part.txt}}\n', 'part.txt': 'part' })
  const { stdout, stderr } = await runPack(['build', '-', '-o', '-'], {
    cwd,
    input: '{{#include part.txt}}\n',
  })
  expect(JSON.parse(stdout)).toMatchObject({ content: '{{#include part.txt}}\n' })
  expect(stderr).toContain('<stdin>:1:1 warning 1 mdBook include is not in the pack')
})
