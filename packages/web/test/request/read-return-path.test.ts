import { expect, it } from 'vitest'
import { readReturnPath } from '../../src/request/read-return-path.ts'

it.each(['/', '/settings', '/browse/tls-basics', '/browse?search=a%20b&page=2', '/browse/x.md'])(
  'goes back to %s',
  (path) => {
    expect(readReturnPath(path, '/settings')).toBe(path)
  },
)

it.each([
  undefined,
  ['/browse'],
  '',
  'browse',
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\tevil',
  '/%0d%0a/../\r\nset-cookie: a=b',
  'javascript:alert(1)',
  '/a#b',
  `/${'a'.repeat(600)}`,
])('goes to Settings instead of %j', (path) => {
  expect(readReturnPath(path, '/settings')).toBe('/settings')
})
