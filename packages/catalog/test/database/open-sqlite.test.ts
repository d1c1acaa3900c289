import { describe, expect, it } from 'vitest'
import { requireNode } from '../../src/database/open-sqlite.ts'

describe('requireNode', () => {
  it('refuses the versions under which the binding of SQLite crashes', () => {
    expect(() => requireNode('20.20.0')).toThrow(expect.objectContaining({ code: 'catalog_unavailable' }))
    expect(() => requireNode('22.13.0')).not.toThrow()
    expect(() => requireNode('24.21.0')).not.toThrow()
  })
})
