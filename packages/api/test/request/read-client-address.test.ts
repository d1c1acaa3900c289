import { describe, expect, it } from 'vitest'
import { readClientAddress, readForwarded } from '../../src/request/read-client-address.ts'

describe('readClientAddress', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    [' 192.0.2.1:443 ', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['0000:0000:0000:0000:0000:ffff:c000:0201', '192.0.2.1'],
    ['[::ffff:192.0.2.1]:80', '192.0.2.1'],
    ['[2001:DB8::1]:443', '2001:db8::1'],
    ['2001:0db8:0:0::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['unknown', undefined],
    ['', undefined],
    ['192.0.2.1:x', undefined],
    ['192.0.2.256', undefined],
    ['[2001:db8::1', undefined],
  ])('reads %j as %j', (text, address) => {
    expect(readClientAddress(text)).toBe(address)
  })
})

describe('readForwarded', () => {
  it.each([
    ['192.0.2.1, [2001:db8::1]:80', '192.0.2.1, 2001:db8::1'],
    ['192.0.2.1, unknown, 192.0.2.2:1', '192.0.2.2'],
    ['unknown', undefined],
  ])('reads %j as %j', (header, forwarded) => {
    expect(readForwarded(header)).toBe(forwarded)
  })
})
