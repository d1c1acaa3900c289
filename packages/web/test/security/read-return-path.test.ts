import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readReturnPath } from '../../src/security/cross-site-protection.ts'

it.each([
  ['/', '/'],
  ['/browse/tls-basics', '/browse/tls-basics'],
  ['/browse?search=a%20b&page=2', '/browse?search=a%20b&page=2'],
  ['/browse/x.md', '/browse/x.md'],
  ['/docs#errors', '/docs#errors'],
  ['/browse/x?full=1#user-content-a', '/browse/x?full=1#user-content-a'],
  ['/browse?search=日本', '/browse?search=%E6%97%A5%E6%9C%AC'],
  ['/browse?search=http://x', '/browse?search=http://x'],
  ['/settings', '/settings'],
  ['/settings?return=%2Fx', '/settings'],
  ['/settings/sign-out', '/settings'],
  ['/browse/../settings/sign-out', '/settings'],
  ['/settings/keys/key_1/rotate', '/settings'],
  ['/settings/verify?code=ABC', '/settings/verify?code=ABC'],
  ['/settings/verify/send', '/settings'],
  ['/settings/Verify?code=ABC', '/settings'],
])('accepts %s as %s', (path, back) => {
  expect(readReturnPath(path, '/home')).toBe(back)
})

it.each([
  undefined,
  ['/browse'],
  '',
  'browse',
  '#a',
  'https://evil.example/',
  '//evil.example',
  '///evil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/browse/..//evil.example',
  '/%2e//evil.example',
  '/a//b',
  '/\\evil.example',
  '\\\\evil.example',
  '/a#\\b',
  '/\tevil',
  '/\t/evil.example',
  '/\n/evil.example',
  ' /browse',
  '/browse\u0085',
  '/browse\u202Eb',
  '/browse\uD800',
  '/%0d%0a/../\r\nset-cookie: a=b',
  'javascript:alert(1)',
  `/${'a'.repeat(2000)}`,
  `/${'日'.repeat(400)}`,
])('rejects %j', (path) => {
  expect(readReturnPath(path, '/home')).toBe('/home')
})

it('always returns a path that keeps a browser on this site', () => {
  // prettier-ignore
  const part = fc.constantFrom(
    '/', '\\', '.', '..', '%2f', '%5c', '//', 'evil.example', ':', '@', '#', '?', '\t', '日',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const back = readReturnPath(parts.join(''), '/home')
      expect(back).toMatch(/^\/(?!\/)[!-~]*$/)
      expect(new URL(back, 'https://packs.example/settings').origin).toBe('https://packs.example')
    }),
  )
})
