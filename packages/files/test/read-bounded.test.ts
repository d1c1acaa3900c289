import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readBounded, readError } from '../src/index.ts'
import { makeFolder } from '../../test-kit/test/run-pack.ts'

describe('readBounded', () => {
  it('reads a file of the limit and refuses one more byte', async () => {
    const path = join(makeFolder({ a: 'abcd' }), 'a')
    expect(Buffer.from(await readBounded(path, 4)).toString()).toBe('abcd')
    await expect(readBounded(path, 3, 'a')).rejects.toMatchObject({ code: 'file_too_large', file: 'a' })
  })

  it('applies the limit to devices, which have no size', async () => {
    await expect(readBounded('/dev/zero', 100_000)).rejects.toMatchObject({ code: 'file_too_large' })
    expect(await readBounded('/dev/null', 10)).toHaveLength(0)
  })
})

describe('readError', () => {
  it.each([
    ['EACCES', 'file_unreadable', 'cannot read a.md: permission denied'],
    ['ELOOP', 'broken_link', 'a.md is a symbolic link in a loop'],
    ['EIO', 'file_unreadable', 'cannot read a.md: input/output error'],
  ])('explains %s', (code, expected, message) => {
    const error = Object.assign(new Error('input/output error'), { code })
    expect(readError('a.md', error)).toMatchObject({ code: expected, message, file: 'a.md' })
  })
})
