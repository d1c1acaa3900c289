import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

type Files = Readonly<Record<string, string>>

/** Small trees with the front matter, folders and markdown of five documentation tools, and the slugs that they get. */
const SITES: readonly (readonly [tool: string, files: Files, slugs: readonly string[]])[] = [
  [
    'Hugo',
    {
      'content/_index.md': '+++\ntitle = "Home"\nweight = 1\n[cascade]\ntype = "docs"\n+++\n# Welcome\n',
      'content/clients/_index.md':
        '---\ntitle: Clients\nlinkTitle: Clients\nweight: 10\n---\n\nPick a language.\n',
      'content/clients/go/connect.md':
        '{\n  "title": "Connect",\n  "categories": ["docs", "clients"]\n}\n\nUse {{< relref "/clients" >}}.\n',
      'content/clients/python/connect.md':
        '---\ntitle: Connect\naliases:\n- /old/connect\nbannerText: |\n  Read this\n  first.\n---\n{{< note >}}\nA note.\n{{< /note >}}\n',
      'content/clients/python/connect.png': '',
    },
    ['clients', 'clients-go-connect', 'clients-python-connect', 'content'],
  ],
  [
    'Jekyll',
    {
      '_config.yml': 'title: Site\ncollections:\n  docs:\n    output: true\nplugins: [feed]\n',
      '_includes/note.md': 'Not a page of its own.\n',
      '_docs/index.md':
        '---\nlayout: docs\npermalink: /docs/\n---\n{% raw %}\nText {{ page.title }}.\n{% endraw %}\n',
      '_docs/install.md': '---\nlayout: docs\nredirect_from:\n  - /old/\n  - /older/\n---\n# Install\n',
      '_posts/2024-02-01-release.markdown':
        '---\nlayout: post\ndate: 2024-02-01 10:20:30 -0800\nauthor: kim\ncategories: [release]\n---\nText.\n',
      '_posts/2024-02-01-notes.md': '# Without front matter\n',
      'readme.md': '# About this site\n',
      '_site/index.html': '',
    },
    ['content', 'docs', 'docs-install', 'posts-2024-02-01-notes', 'posts-2024-02-01-release'],
  ],
  [
    'VitePress',
    {
      'index.md':
        '---\nlayout: home\nhero:\n  name: Tool\n  actions:\n    - theme: brand\n      text: Start\n---\n<script setup>\nconst a = 1\n</script>\n',
      'guide/introduction.md': '---\noutline: deep\n---\n# Introduction {#intro}\n\n::: tip\nA tip.\n:::\n',
      'api/introduction.md':
        '---\naside: false\nprev: false\n---\n# API\n\n<Badge type="tip" text="new" />\n',
      'ガイド/はじめに.md': '# はじめに\n',
      '.vitepress/config.md': '# Not a page\n',
      'public/logo.svg': '',
    },
    ['api-introduction', 'content', 'guide-introduction', 'gaido-hajimeni'],
  ],
  [
    'Docusaurus',
    {
      'intro.mdx':
        'import Tabs from "@theme/Tabs"\n\n# Intro\n\n<Tabs>\n  <b>One</b>\n</Tabs>\n\nexport const a = 1\n',
      'api/overview.md':
        '---\nid: overview\nsidebar_label: Overview\nslug: /api\nhide_title: true\nkeywords: [a, b]\n---\n# Overview\n',
      'usage/overview.MDX': '---\nsidebar_position: 2\n---\n# Overview\n\n<Link to="/">{1 + 1}</Link>\n',
      'usage/_category_.json': '{}',
    },
    ['api-overview', 'intro', 'usage-overview'],
  ],
  [
    'MkDocs',
    {
      'index.md': '---\ntemplate: home.html\nhide:\n  - navigation\n---\n# Home\n',
      'setup/index.md':
        '---\nicon: material/cog\nstatus: new\n---\n# Setup\n\n!!! note "A title"\n    Text.\n',
      'setup/fonts.md': '# Fonts\n\n=== "Tab"\n\n    ``` yaml\n    theme: x\n    ```\n',
      'plugins/fonts.md': '---\nsocial:\n  cards_layout_options:\n    title: Fonts\n---\n# Fonts plugin\n',
      'assets/a.css': '',
    },
    ['content', 'plugins-fonts', 'setup', 'setup-fonts'],
  ],
]

describe('pack build without a configuration', () => {
  it.each(SITES)('builds a tree of %s as it is, without a warning', async (_, files, slugs) => {
    const top = makeFolder(
      Object.fromEntries(
        Object.entries(files).map(([name, text]) => [`content/${name.replace('content/', '')}`, text]),
      ),
    )
    const run = await runInProcess(['build', 'content', '-o', 'out', '--max-warnings', '0'], { cwd: top })
    expect(run.stderr).not.toMatch(/ error /)
    expect(run.status).toBe(0)
    expect(run.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(15)
    expect(readdirSync(join(top, 'out'))).toEqual([
      '.packs.json',
      ...slugs.map((slug) => `${slug}.pack.json`).toSorted(),
    ])
    const again = await runInProcess(['build', 'content', '-o', 'out'], { cwd: top })
    const isMessage = (line: string): boolean => !/^wrote | are unchanged$/.test(line)
    expect(again.stderr.split('\n').filter(isMessage)).toEqual(run.stderr.split('\n').filter(isMessage))
    const inside = await runInProcess(['build', '.', '-o', '../inside'], { cwd: join(top, 'content') })
    expect(inside.status).toBe(0)
    expect(readdirSync(join(top, 'inside'))).toEqual(readdirSync(join(top, 'out')))
  })

  it('adds the hash of its path to each slug that several paths have, and names them', async () => {
    const cwd = makeFolder({
      'docs/a.md': '# One\n',
      'docs/a/index.md': '# Two\n',
      'docs/b.md': '# Three\n',
      'docs/b.mdx': '---\nslug: own\n---\n# Four\n',
    })
    const run = await runInProcess(['build', 'docs'], { cwd })
    expect(run.status).toBe(0)
    // printf a.md | sha256sum; printf a/index.md | sha256sum
    const warning =
      'docs/a/index.md warning several paths give the slug "a", so the hash of its path follows in each: docs/a/index.md (a-742e9762), docs/a.md (a-fecccc97) shared-slug'
    expect(run.stderr.split('\n').filter((line) => line.includes(' warning '))).toEqual([warning])
    const packs = ['a-742e9762.pack.json', 'a-fecccc97.pack.json', 'b.pack.json', 'own.pack.json'].toSorted()
    expect(readdirSync(join(cwd, 'dist'))).toEqual(['.packs.json', ...packs])
    const inside = await runInProcess(['build', '.', '-o', '../inside'], { cwd: join(cwd, 'docs') })
    expect(inside.status).toBe(0)
    expect(readdirSync(join(cwd, 'inside'))).toEqual(['.packs.json', ...packs])
    // Files that are named themselves have the slugs of their names.
    writeFileSync(join(cwd, 'docs/a/b.md'), '# Five\n')
    const named = await runInProcess(['build', 'docs/b.md', 'docs/a/b.md', '-o', 'named'], { cwd })
    expect(named.stderr).toContain('docs/b.md (b-7794d5df), docs/a/b.md (b-41d73c71) shared-slug')
  })

  it('loses no page for its name', async () => {
    const names = ['Bases 简介', 'Bases 语法', 'C++', 'C#', 'علم', 'لم', '指南/index', '指南']
    const cwd = makeFolder(Object.fromEntries(names.map((name) => [`docs/${name}.md`, `# ${name}\n`])))
    const run = await runInProcess(['build', 'docs'], { cwd })
    expect(run.status).toBe(0)
    expect(readdirSync(join(cwd, 'dist')).map((name) => name.replace('.pack.json', ''))).toEqual([
      '.packs.json',
      'bases-jianjie',
      'bases-yufa',
      'c-plus-plus',
      'c-sharp',
      'lm-bc113833',
      'lm-bc67ded1',
      'zhinan-2d134d50',
      'zhinan-748a73a3',
    ])
  })
})
