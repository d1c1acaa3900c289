import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  chooseVersion,
  compareVersions,
  parsePackName,
  parseRange,
  VersionError,
} from '../../src/pack/version-range.ts'
import { listPairs } from '../../../test-kit/test/list-pairs.ts'

describe('a range', () => {
  it.each([
    ['1.2.3', ['1.2.3'], ['1.2.2', '1.2.4']],
    ['=1.2.3', ['1.2.3'], ['1.2.4']],
    ['v1.2.3', ['1.2.3'], ['1.2.4']],
    ['1.2', ['1.2.0', '1.2.9'], ['1.1.9', '1.3.0']],
    ['1.x', ['1.0.0', '1.9.9'], ['0.9.9', '2.0.0']],
    ['1.2.*', ['1.2.0', '1.2.9'], ['1.3.0']],
    ['*', ['0.0.0', '999.0.0'], []],
    ['latest', ['0.0.0', '999.0.0'], []],
    ['^1', ['1.0.0', '1.10.0'], ['0.9.0', '2.0.0']],
    ['^1.2.3', ['1.2.3', '1.3.0'], ['1.2.2', '2.0.0']],
    ['^0', ['0.0.0', '0.9.0'], ['1.0.0']],
    ['^0.0', ['0.0.0', '0.0.9'], ['0.1.0']],
    ['^0.2.3', ['0.2.3', '0.2.9'], ['0.2.2', '0.3.0']],
    ['^0.0.3', ['0.0.3'], ['0.0.2', '0.0.4']],
    ['~1', ['1.0.0', '1.9.0'], ['2.0.0']],
    ['~1.2', ['1.2.0', '1.2.9'], ['1.1.0', '1.3.0']],
    ['~1.2.3', ['1.2.3', '1.2.9'], ['1.2.2', '1.3.0']],
    ['>1', ['2.0.0'], ['1.0.0', '1.9.9']],
    ['>1.2.3', ['1.2.4'], ['1.2.3']],
    ['>=1.2', ['1.2.0', '9.0.0'], ['1.1.9']],
    ['<2', ['0.0.0', '1.9.9'], ['2.0.0']],
    ['<=1.2', ['1.2.9'], ['1.3.0']],
    ['>=1.2  <3', ['1.2.0', '2.9.9'], ['1.1.0', '3.0.0']],
    ['>*', [], ['0.0.0', '9.9.9']],
  ])('%s', (range, inside, outside) => {
    const { contains } = parseRange(range)
    expect(inside.filter((version) => !contains(version))).toEqual([])
    expect(outside.filter(contains)).toEqual([])
  })

  it.each([
    '',
    ' ',
    '1.',
    'a',
    '^',
    '1.2.3.4',
    '1.x.3',
    '1.2.3-beta',
    '1 || 2',
    '1 - 2',
    '>= 1',
    '1'.repeat(200),
  ])('cannot be %j', (range) => {
    expect(() => parseRange(range)).toThrow(VersionError)
  })

  it('is exact if it is one version', () => {
    expect(['1.2.3', '^1.2.3', '1.2'].map((range) => parseRange(range).exact)).toEqual([
      '1.2.3',
      undefined,
      undefined,
    ])
  })

  it('means a yanked version only by its exact number', () => {
    const versions = [{ version: '1.2.0', yanked: true }, { version: '1.1.0' }, { version: '0.9.0' }]
    const ranges = ['^1', '1.2.0', undefined, '=1.2.0']
    const chosen = ranges.map((range) => chooseVersion(versions, range)?.version)
    expect(chosen).toEqual(['1.1.0', '1.2.0', '1.1.0', undefined])
  })

  it('contains the version that it is selected from', () => {
    const version = fc.tuple(fc.nat(12), fc.nat(12), fc.nat(12)).map((parts) => parts.join('.'))
    fc.assert(
      fc.property(
        fc.array(version),
        version,
        fc.constantFrom('^', '~', '>=', '<', ''),
        (versions, base, operator) => {
          const range = operator + base
          const inside = versions.filter(parseRange(range).contains)
          const selected = chooseVersion(
            versions.map((one) => ({ version: one })),
            range,
          )?.version
          expect(selected === undefined).toBe(inside.length === 0)
          expect(inside.filter((one) => compareVersions(one, selected!) > 0)).toEqual([])
        },
      ),
    )
  })
})

describe('the name of a pack', () => {
  it.each([
    ['tls-certificates', 'tls-certificates', undefined],
    ['tls-certificates@^1', 'tls-certificates', '^1'],
    ['pk_0123456789abcdefghjkmnpqrs@1.0.0', 'pk_0123456789abcdefghjkmnpqrs', '1.0.0'],
  ])('%s', (name, pack, range) => {
    expect(parsePackName(name)).toEqual({ pack, range })
  })

  it.each(
    listPairs([
      ['invalid_name', '', '../etc', 'Tls', 'a--b', `${'a'.repeat(101)}`],
      ['invalid_range', 'tls@', 'tls@^x.1'],
    ]),
  )('cannot be %j', (name, code) => {
    expect(() => parsePackName(name)).toThrow(
      expect.objectContaining({ code, hint: expect.stringContaining('Write') }),
    )
  })
})
