// Adds the pending changesets to CHANGELOG.md as one release: node -C source scripts/write-changelog.ts VERSION YYYY-MM-DD
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

const HEAD = '# Changelog\n'
/** Packages in the order of the page, with the title of their part. */
const TITLES: Readonly<Record<string, string>> = {
  '@packs/codec': 'Codec',
  '@packs/cli': 'The program `pack`',
  '@packs/client': 'Client',
  '@packs/ai-sdk': 'AI SDK',
  '@packs/eval': 'Evaluation',
  '@packs/mcp': 'MCP',
  '@packs/search': 'Search',
  '@packs/files': 'Files',
  '@packs/threads': 'Threads',
  '@packs/catalog': 'Catalog',
  '@packs/publisher': 'Publisher',
  '@packs/api': 'API',
  '@packs/server': 'Server',
  '@packs/web': 'Pages',
}

/**
 * Formats changesets as one release. Each stands in the part of the first package that it names.
 *
 * @param changesets the texts of the files
 * @returns `## 0.3.0 (2026-11-24)`, then a part for each package with one item for each changeset
 * @throws {Error} for a changeset without a package of this workspace
 */
export function formatRelease(version: string, date: string, changesets: readonly string[]): string {
  const entries = changesets.map((text) => {
    const [, head = '', body = ''] = /^---\n([^]*?)\n---\n([^]*)$/.exec(text) ?? []
    const name = /^['"](@packs\/[a-z-]+)['"]/m.exec(head)?.[1] ?? ''
    if (!Object.hasOwn(TITLES, name)) throw new Error(`A changeset names no package: ${text.slice(0, 80)}`)
    return { name, item: formatItem(body.trim()) }
  })
  const parts = Object.entries(TITLES).flatMap(([name, title]) => {
    const items = entries.filter((entry) => entry.name === name).map(({ item }) => item)
    return items.length === 0 ? [] : [`### ${title}\n\n${items.join('\n')}`]
  })
  return [`## ${version} (${date})`, ...parts].join('\n\n')
}

/** Formats a text as an item of a list: its paragraphs are indented. */
function formatItem(text: string): string {
  return `- ${text.replaceAll(/\n(?=.)/g, '\n  ')}`
}

if (import.meta.main) {
  const [, , version, date] = process.argv
  if (version === undefined || date === undefined)
    throw new Error('Name the version and the date: scripts/write-changelog.ts 0.4.0 2026-12-01')
  const paths = globSync('.changeset/*.md')
    .filter((path) => !path.endsWith('README.md'))
    .toSorted()
  const release = formatRelease(
    version,
    date,
    paths.map((path) => readFileSync(path, 'utf8')),
  )
  const before = readFileSync('CHANGELOG.md', 'utf8')
  writeFileSync('CHANGELOG.md', `${HEAD}\n${release}\n${before.slice(HEAD.length)}`)
  for (const path of paths) rmSync(path)
}
