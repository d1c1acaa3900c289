import { expect, it } from 'vitest'
import { readForwarded } from '../../src/http/headers.ts'

it.each([
  ['192.0.2.1, [2001:db8::1]:80', '192.0.2.1, 2001:db8::1'],
  ['192.0.2.1, unknown, 192.0.2.2:1', '192.0.2.2'],
  ['unknown', undefined],
])('reads %j as %j', (header, forwarded) => {
  expect(readForwarded(header)).toBe(forwarded)
})
