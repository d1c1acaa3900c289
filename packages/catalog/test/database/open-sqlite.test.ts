import { describe, expect, it } from 'vitest'
import { requireNodeVersion } from '../../src/database/open-sqlite.ts'

describe('requireNodeVersion', () => {
  it('rejects Node versions on which the SQLite binding crashes', () => {
    expect(() => requireNodeVersion('20.20.0')).toThrow(
      expect.objectContaining({ code: 'catalog_unavailable' }),
    )
    expect(() => requireNodeVersion('22.13.0')).not.toThrow()
    expect(() => requireNodeVersion('24.21.0')).not.toThrow()
  })
})
