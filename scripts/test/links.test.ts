import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const IGNORED = /^(?:node_modules|dist|coverage)$/
// The examples link to pages of the sites that they are from.
const pages = globSync(['**/*.md', '.changeset/*.md', '.github/**/*.md'], {
  exclude: (path) =>
    path === 'examples/packs' ||
    path === 'bench/reading/docs' ||
    path.split('/').some((name) => IGNORED.test(name)),
})

/** A link to a page of the documentation in a message or comment: `docs/ci.md#the-action`. */
const NAMED_ANCHOR = /\b((?:docs|packages)\/[\w/-]+\.md)#([\w-]+)/g

it.each(pages)('%s links to files and headings that exist', (page) => {
  const text = readProse(page).replaceAll(/`[^`\n]*`/g, '')
  const links = [...text.matchAll(/\]\(([^)\s]+)\)|^\[[^\]^]+\]:\s+(\S+)/gm)]
  const targets = links.map(([, inline, reference]) => inline ?? reference ?? '')
  const relative = targets.filter((target) => !/^(?:[a-z]+:|\/\/)/i.test(target))
  expect(relative.filter((target) => !isFound(page, target))).toEqual([])
})

it('sources name headings that exist', () => {
  const sources = globSync('packages/*/src/**/*.ts')
  const broken = sources.flatMap((source) =>
    [...readFileSync(source, 'utf8').matchAll(NAMED_ANCHOR)]
      .filter(([, page = '', anchor = '']) => !existsSync(page) || !listAnchors(page).has(anchor))
      .map(([link]) => `${source}: ${link}`),
  )
  expect(broken).toEqual([])
})

describe('listHeadingIds', () => {
  it('lists the ids that GitHub gives to headings', () => {
    const text = `# The \`pack\` program: build & check
## 8.4 Rules of [\`glossary-1\`](#x)
Same
----
## Same ##
## Same
## snake_case and _emphasis_, **bold**
## ÄÖ – 日本語
#not-a-heading`
    expect(listHeadingIds(text)).toEqual([
      'the-pack-program-build--check',
      '84-rules-of-glossary-1',
      'same',
      'same-1',
      'same-2',
      'snake_case-and-emphasis-bold',
      'äö--日本語',
    ])
  })
})

/** Returns whether the file of a relative link exists, and the heading after `#` in a markdown file. */
function isFound(page: string, target: string): boolean {
  const [path = '', anchor] = decodeURI(target).split('#')
  const file = path === '' ? page : join(page, '..', path)
  return existsSync(file) && (anchor === undefined || !file.endsWith('.md') || listAnchors(file).has(anchor))
}

/** Reads a page without its fenced code, which may show markdown. */
function readProse(page: string): string {
  return readFileSync(page, 'utf8').replaceAll(/^( *)(`{3,}|~{3,})[^]*?^\1\2/gm, '')
}

function listAnchors(page: string): ReadonlySet<string> {
  const text = readProse(page)
  const named = [...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id = '']) => id)
  return new Set([...listHeadingIds(text), ...named])
}

/** Lists the ids of headings in order, as GitHub derives them: a repeated one gets `-1`, `-2` and so on. */
function listHeadingIds(text: string): string[] {
  const counts = new Map<string, number>()
  const headings = text.matchAll(/^#{1,6} +(.*?)(?: +#+)? *$|^(\S.*)\n(?:=+|-+) *$/gm)
  return [...headings].map(([, atx, setext = '']) => {
    const plain = (atx ?? setext)
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/(?<!\w)(_|\*+)(\S[^]*?)\1(?!\w)/g, '$2')
    const id = plain
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-')
    const count = counts.get(id) ?? 0
    counts.set(id, count + 1)
    return count === 0 ? id : `${id}-${count}`
  })
}
