import { describe, expect, test } from 'vitest'
import { restore } from '../../src/index.ts'
import { buildPack } from '../../src/pack-builder/build-pack.ts'
import { serializePack } from '../../src/pack/pack-fields.ts'
import type { Pack } from '../../src/pack/pack-schema.ts'
import { parsePack } from '../../src/pack/parse-pack.ts'
import { derivePathSlug, withTable } from '../../src/source/derive-slug.ts'
import { parseSource } from '../../src/pack.ts'

interface Page {
  readonly path: string
  readonly text: string
  readonly slug: string
  readonly title: string
  readonly metadata?: unknown
  readonly more?: Partial<Pack>
}

/** A few pages of each tool, with what its sites really have. All texts are our own. */
const SITES: readonly (readonly [tool: string, pages: readonly Page[]])[] = [
  [
    'Hugo',
    [
      {
        path: '_index.md',
        text: '+++\ntitle = "Manual"\nweight = 1\n[cascade]\ntype = "docs"\n+++\n\n{{< cards >}}\n',
        slug: 'site',
        title: 'Manual',
        metadata: { weight: 1, cascade: { type: 'docs' } },
      },
      {
        path: 'setup/_index.md',
        text: '{\n  "title": "Set up",\n  "linkTitle": "Setup",\n  "date": "2024-05-01"\n}\n# Set up\n',
        slug: 'setup',
        title: 'Set up',
        metadata: { linkTitle: 'Setup', date: '2024-05-01' },
      },
      {
        path: 'setup/linux.md',
        text: '---\nTitle: Linux\ndate: 2024-05-01T10:00:00Z\ntags: [install, linux]\naliases:\n- /old/linux\ndescription: >\n  How to set it\n  up on Linux.\n---\n{{% tip %}}Use a package.{{% /tip %}}\n',
        slug: 'setup-linux',
        title: 'Linux',
        metadata: { date: '2024-05-01T10:00:00Z', aliases: ['/old/linux'] },
        more: { description: 'How to set it up on Linux.', tags: ['install', 'linux'] },
      },
    ],
  ],
  [
    'Jekyll',
    [
      {
        path: '_posts/2024-05-01-hello.markdown',
        text: '---\nlayout: post\ntitle:  "Hello: again"\ncategories: [news, team]\ndate: 2024-05-01 10:00:00 +0200\n---\n\n{% raw %}{{ page.title }}{% endraw %}\n',
        slug: 'posts-2024-05-01-hello',
        title: 'Hello: again',
        metadata: { layout: 'post', categories: ['news', 'team'], date: '2024-05-01 10:00:00 +0200' },
      },
      {
        path: 'about.md',
        text: '---\n---\n{% include head.html %}\n\n# About us\n',
        slug: 'about',
        title: 'About us',
      },
      { path: 'index.md', text: '---\n# Nothing to set.\n---\n# Home\n', slug: 'site', title: 'Home' },
    ],
  ],
  [
    'VitePress',
    [
      {
        path: 'index.md',
        text: '---\nlayout: home\nhero:\n  name: Tool\n  actions:\n    - theme: brand\n      text: Start\n      link: /guide/\n---\n',
        slug: 'site',
        title: 'site',
        metadata: {
          layout: 'home',
          hero: { name: 'Tool', actions: [{ theme: 'brand', text: 'Start', link: '/guide/' }] },
        },
      },
      {
        path: 'guide/start.md',
        text: '<script setup>\nimport Demo from "./Demo.vue"\n</script>\n\n# Start {#start}\n\n<Demo />\n',
        slug: 'guide-start',
        title: 'Start',
      },
      {
        path: 'guide/rule.md',
        text: '---\n\n# After a rule\n\n---\n\nThe end: nothing more.\n',
        slug: 'guide-rule',
        title: 'After a rule',
      },
    ],
  ],
  [
    'Docusaurus',
    [
      {
        path: 'intro.mdx',
        text: '---\nid: intro\nsidebar_position: 1\nsidebar_label: Intro\nhide_title: true\ntags:\n  - label: Basics\n    permalink: /basics\n---\nimport Tabs from "@theme/Tabs"\n\n# Welcome\n\n<Tabs>\n</Tabs>\n',
        slug: 'intro',
        title: 'Welcome',
        metadata: { id: 'intro', sidebar_position: 1, sidebar_label: 'Intro', hide_title: true },
        more: { tags: ['Basics'] },
      },
      {
        path: 'api/README.md',
        text: '\uFEFF---\r\ntitle: "API"\r\ncustom_edit_url: null\r\n---\r\n\r\n:::note\r\nOld.\r\n:::\r\n',
        slug: 'api',
        title: 'API',
        metadata: { custom_edit_url: null },
      },
    ],
  ],
  [
    'MkDocs',
    [
      {
        path: 'index.md',
        text: '---\nhide:\n  - navigation\nicon: material/home\n...\n# Home\n\n!!! note\n\tIndented by a tab.\n',
        slug: 'site',
        title: 'Home',
        metadata: { hide: ['navigation'], icon: 'material/home' },
      },
      {
        path: '設定/index.md',
        text: '---\ntitle: 設定\nstatus: new\nsearch:\n  boost: 2\n---\n本文。\n',
        slug: 'sheding',
        title: '設定',
        metadata: { status: 'new', search: { boost: 2 } },
      },
    ],
  ],
]

describe.each(SITES)('a site of %s', (_tool, pages) => {
  test.each(pages.map((page) => [page.path, page] as const))('%s', async (path, page) => {
    const bytes = new TextEncoder().encode(page.text)
    const given = { slug: await withTable(() => derivePathSlug(path, 'site')) }
    const { source, messages } = parseSource(bytes, { path, defaults: given, folder: 'site' })
    expect(messages.filter(({ fatal }) => fatal !== undefined)).toEqual([])
    expect(source).toMatchObject({ slug: page.slug, title: page.title })
    const { pack } = await buildPack(source!)
    const written = parsePack(serializePack(pack!))
    expect(written.metadata).toEqual(page.metadata)
    expect(written).toMatchObject(page.more ?? {})
    expect(new TextEncoder().encode(restore(written, { frontMatter: true }))).toEqual(bytes)
  })
})
