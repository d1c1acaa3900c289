import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createPrivately, findRegularFile, readRegularFile, replacePrivately } from '../src/index.ts'
import { makeFolder } from '../../test-kit/test/run-pack.ts'

describe('readRegularFile', () => {
  it('reads a file up to the limit, also one whose size the system does not know', () => {
    const path = join(makeFolder({ a: '0123456789' }), 'a')
    expect(readRegularFile(path, 10)).toMatchObject({ data: Buffer.from('0123456789'), stats: { size: 10 } })
    expect(() => readRegularFile(path, 9)).toThrow(expect.objectContaining({ code: 'too_large' }))
    expect(statSync('/proc/self/status').size).toBe(0)
    expect(() => readRegularFile('/proc/self/status', 10)).toThrow('it is too large')
    const whole = readRegularFile('/proc/self/status', 100_000).data.toString()
    expect(whole.split('\n').length).toBe(readFileSync('/proc/self/status', 'utf8').split('\n').length)
  })

  it('does not wait for a pipe, and reads no folder and no device', () => {
    const folder = makeFolder()
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe')])
    for (const path of [join(folder, 'pipe'), '/dev/zero'])
      expect(() => readRegularFile(path, 10)).toThrow(expect.objectContaining({ code: 'not_a_file' }))
    expect(() => readRegularFile(folder, 1_000_000)).toThrow(expect.objectContaining({ code: 'EISDIR' }))
    expect(findRegularFile(folder, 1_000_000)).toBeUndefined()
  })

  it('follows a link only where links are allowed', () => {
    const folder = makeFolder({ real: 'text' })
    symlinkSync('real', join(folder, 'link'))
    expect(readRegularFile(join(folder, 'link'), 10).data.toString()).toBe('text')
    expect(() => readRegularFile(join(folder, 'link'), 10, true)).toThrow(
      expect.objectContaining({ code: 'ELOOP' }),
    )
  })
})

describe('private files', () => {
  it('are replaced in the place of a link, which is not followed', () => {
    const folder = makeFolder({ real: 'kept' })
    symlinkSync('real', join(folder, 'a'))
    replacePrivately(join(folder, 'a'), Buffer.from('new'))
    expect(readFileSync(join(folder, 'real'), 'utf8')).toBe('kept')
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('new')
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['a', 'real'])
  })

  it('are created once, whatever is in their place', () => {
    const folder = makeFolder()
    createPrivately(join(folder, 'a'), Buffer.from('first'))
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o600)
    mkdirSync(join(folder, 'b'))
    symlinkSync('nothing', join(folder, 'c'))
    for (const name of ['a', 'b', 'c'])
      expect(() => createPrivately(join(folder, name), Buffer.from('second'))).toThrow(
        expect.objectContaining({ code: 'EEXIST' }),
      )
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('first')
    expect(readdirSync(folder)).toEqual(['a', 'b', 'c'])
  })

  it('leave no temporary file where they cannot be finished', () => {
    const folder = makeFolder()
    mkdirSync(join(folder, 'a'))
    writeFileSync(join(folder, 'a/b'), '')
    expect(() => replacePrivately(join(folder, 'a'), Buffer.from('new'))).toThrow('EISDIR')
    expect(readdirSync(folder)).toEqual(['a'])
  })
})
