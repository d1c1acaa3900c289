import { describe, expect, it } from 'vitest'
import { showPath } from '../../src/input/show-path.ts'

describe('showPath', () => {
  it('is relative near the current folder and absolute far from it', () => {
    expect(showPath('/a/b/c.md', '/a')).toBe('b/c.md')
    expect(showPath('/a', '/a')).toBe('.')
    expect(showPath('/a/c.md', '/a/b')).toBe('../c.md')
    expect(showPath('/x/c.md', '/a/b/c/d')).toBe('/x/c.md')
  })
})
