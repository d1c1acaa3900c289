import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseSource } from '@packs/codec/pack'
import { examplePacks, readExample } from '../../packages/test-kit/test/example-packs.ts'

const folder = join(import.meta.dirname, '..', 'packs')
/** Messages of what other tools read, and of what a README does not say. */
const INFORMS = new Set(['passed-through', 'assumed-fields'])
const sources = examplePacks.map(({ slug, path, text }) => {
  const { source, messages } = parseSource(text, { path, defaults: { slug } })
  return { ...source!, messages: messages.filter(({ ruleId }) => !INFORMS.has(ruleId)).map(String) }
})

describe.each(sources)('$path', (source) => {
  it('is parsed without warnings', () => {
    expect(source.messages).toEqual([])
  })

  it('has its slug as name of its file, or of its folder', () => {
    expect(source.path).toMatch(new RegExp(`(?:^|/)${source.slug}(?:\\.mdx?|/README\\.md)$`))
  })

  it('has its title as first heading', () => {
    expect(/^# (.*?)(?: \{.*\})?$/m.exec(source.body)?.[1]).toBe(source.title)
  })

  it('is short: 3 to 12 KB', () => {
    const bytes = Buffer.byteLength(source.body)
    expect(bytes).toBeGreaterThanOrEqual(3 * 1024)
    expect(bytes).toBeLessThanOrEqual(12 * 1024)
  })

  it('repeats no paragraph to gain savings', () => {
    const paragraphs = source.body.split(/\n{2,}/).filter((paragraph) => paragraph.length > 160)
    expect(new Set(paragraphs).size).toBe(paragraphs.length)
  })
})

describe('the examples together', () => {
  it('are twelve, with different titles', () => {
    expect(sources).toHaveLength(12)
    expect(new Set(sources.map(({ title }) => title)).size).toBe(12)
  })

  it('cover many domains and every difficulty; only a README and a book have no front matter', () => {
    expect(new Set(sources.map(({ domainSlug }) => domainSlug)).size).toBeGreaterThanOrEqual(9)
    expect(new Set(sources.map(({ difficulty }) => difficulty))).toEqual(
      new Set(['beginner', 'intermediate', 'advanced', 'expert']),
    )
    const assumed = sources.filter((source) => source.assumed.length > 0).map(({ slug }) => slug)
    expect(assumed.toSorted()).toEqual(['sourdough-bread', 'tidewatch'])
  })

  it.each([
    'docusaurus/docusaurus.config.js',
    'hugo/hugo.toml',
    'mkdocs/mkdocs.yml',
    'obsidian/.obsidian/app.json',
    'sourdough-bread/book.toml',
    'vitepress/.vitepress/config.ts',
  ])('have the configuration %s, by which the site is recognized', (path) => {
    expect(existsSync(join(folder, path))).toBe(true)
  })

  it.each([
    ['ab-testing', [/^import .* from '/m, /^\{\/\*/m, /<TabItem value=/, /className="/, /^:::danger/m]],
    ['form-validation', [/^<script setup>/m, /^::: tip/m, /^```ts \[/m, /<Badge /, /^<style scoped>/m]],
    ['tls-certificates', [/\{\{\/\*/, /\{\{< callout/, /^## .* \{#[a-z-]+\}$/m, /^<!-- pack:verbatim -->$/m]],
    ['sourdough-bread', [/^---+$/m, /\]\[[a-z]+\]/, /^\[[a-z]+\]: \S+ "/m, /&rsquo;/, /[a-z]\n[a-z]/]],
    [
      'http-status-codes',
      [/^\| 1xx {3}/m, /^!!! tip/m, /\{#pairs\}$/m, /\{ \.annotate \}/, /<div class="grid cards" markdown>/],
    ],
    ['functional-harmony', [/\[\[[^\]|]+\|[^\]]+\]\]/, /^%%/m, /^!\[\[/m, /^> \[!tip\]/m, / \^[a-z]+$/m]],
    ['payments-api-reference', [/<a name="/, /^------+ \| ---/m, /\[optional\]/, /^```json$/m]],
    ['tidewatch', [/^\[!\[/m, /<p align="center">/, /<details>/, /<img [^>]*width=/, /^> \[!WARNING\]/m]],
    ['drain-before-upgrade', [/^<!--\n[^]*?^-->$/m, /^<!-- toc -->$/m, /^\[[\w-]+\]: https:/m]],
    ['zhongguo-cha', [/\p{Script=Han}{12}/u, /%E8%8C%B6/, /<!-- \p{Script=Han}/u]],
    ['nakhil', [/\p{Script=Arabic}{8}/u, /%D9%86/, /<div dir="rtl"/]],
    ['incident-response', [/^- \[ \] .*\n {2}- \[ \] /m, /\w\.\[\^[a-z]+\]/, /^ {2,}```[a-z]+$/m, /^> /m]],
  ])('%s is written as its kind of site is', (slug, patterns) => {
    const { text } = readExample(slug)
    expect(patterns.filter((pattern) => !pattern.test(text))).toEqual([])
  })
})
