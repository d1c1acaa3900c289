import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareVersions, raiseVersion } from '../../src/version-builder/version-number.ts'

it.each([
  ['1.2.3', 'patch', '1.2.4'],
  ['1.2.3', 'minor', '1.3.0'],
  ['1.2.3', 'major', '2.0.0'],
  ['0.9.9', 'major', '1.0.0'],
  ['1.2.999999999', 'patch', '1.3.0'],
  ['1.999999999.999999999', 'patch', '2.0.0'],
] as const)('%s raised at %s is %s', (version, level, raised) => {
  expect(raiseVersion(version, level)).toBe(raised)
})

it('orders versions by their numbers, and a raised one is above', () => {
  const part = fc.nat(999_999_999)
  const version = fc.tuple(part, part, part)
  fc.assert(
    fc.property(version, version, fc.constantFrom('patch', 'minor', 'major'), (a, b, level) => {
      const at = a.findIndex((number, index) => number !== b[index])
      expect(Math.sign(compareVersions(a.join('.'), b.join('.')))).toBe(
        at < 0 ? 0 : Math.sign(a[at]! - b[at]!),
      )
      expect(compareVersions(raiseVersion(a.join('.'), level), a.join('.'))).toBeGreaterThan(0)
    }),
  )
})
