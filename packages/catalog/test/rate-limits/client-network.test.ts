import { describe, expect, it } from 'vitest'
import { clientNetwork, readClientAddress } from '../../src/rate-limits/create-rate-limiter.ts'

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

describe('clientNetwork', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['::FFFF:C000:0201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:c000:201', '192.0.2.1'],
    ['[::ffff:c000:201]:443', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:0:0:1::', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['unknown', 'unknown'],
  ])('counts %s as %s', (address, name) => {
    expect(clientNetwork(address)).toBe(name)
  })
})
