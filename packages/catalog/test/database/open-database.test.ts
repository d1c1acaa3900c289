import { describe, expect, it } from 'vitest'
import { parseDatabaseUrl } from '../../src/database/open-database.ts'

describe('parseDatabaseUrl', () => {
  it.each([
    ['postgres://ada:p%40ss@db:5432/packs', { kind: 'postgres', url: 'postgres://ada:p%40ss@db:5432/packs' }],
    ['postgresql://db/packs', { kind: 'postgres', url: 'postgresql://db/packs' }],
    ['data/catalog.sqlite', { kind: 'sqlite', path: 'data/catalog.sqlite' }],
    ['/var/lib/packs.sqlite', { kind: 'sqlite', path: '/var/lib/packs.sqlite' }],
    ['sqlite:packs.db', { kind: 'sqlite', path: 'packs.db' }],
    ['sqlite:///var/packs.db', { kind: 'sqlite', path: '/var/packs.db' }],
    ['C:\\packs\\catalog.sqlite', { kind: 'sqlite', path: 'C:\\packs\\catalog.sqlite' }],
  ])('parses %s', (url, address) => {
    expect(parseDatabaseUrl(url)).toEqual(address)
  })

  it.each(['', 'sqlite:', 'mysql://ada:hunter2@db/packs', 'postgres://ada:hunter2@:x', 'a\0b', 'redis://db'])(
    'rejects %j without repeating it',
    (url) => {
      expect(() => parseDatabaseUrl(url)).toThrow(
        expect.objectContaining({
          code: 'invalid_database_url',
          message: expect.not.stringContaining('hunter2'),
          hint: expect.stringMatching(/postgres:.*--data/),
        }),
      )
    },
  )
})
