import { expect, it } from 'vitest'
import { formatRelease } from '../write-changelog.ts'

it('puts each changeset into the part of the first package that it names', () => {
  const changesets = [
    "---\n'@packs/web': patch\n---\n\nA page.\n",
    "---\n'@packs/codec': minor\n'@packs/web': patch\n---\n\nOne thing.\n\nAnother.\n",
  ]
  expect(formatRelease('0.3.0', '2026-11-24', changesets)).toBe(
    '## 0.3.0 (2026-11-24)\n\n### Codec\n\n- One thing.\n\n  Another.\n\n### Pages\n\n- A page.',
  )
})

it('refuses a changeset that names no package', () => {
  expect(() => formatRelease('0.3.0', '2026-11-24', ['---\n---\n\nNothing.\n'])).toThrow('names no package')
})
