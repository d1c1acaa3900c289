import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const pages = globSync(['*.md', 'docs/**/*.md', 'bench/**/*.md', 'packages/*/*.md', 'examples/*.md'])

it.each(pages)('%s links to files that exist', (page) => {
  // Examples of markdown stand in fences.
  const text = readFileSync(page, 'utf8').replace(/^(`{3,}|~{3,})[^]*?^\1/gm, '')
  const targets = [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)].map(([, target]) => target ?? '')
  const relative = targets.filter((target) => !/^[a-z]+:/i.test(target))
  expect(relative.filter((target) => !existsSync(join(dirname(page), target)))).toEqual([])
})
