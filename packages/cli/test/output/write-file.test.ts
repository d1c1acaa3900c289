import {
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  chmodSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeAtomic, writeGenerated } from '../../src/output/write-file.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const OLD = new Date('2020-01-01T00:00:00Z')

describe('writeAtomic', () => {
  it('writes a file and leaves no temporary file', () => {
    const folder = makeFolder()
    expect(writeAtomic(join(folder, 'a'), Buffer.from('new'))).toBe('written')
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('new')
    expect(readdirSync(folder)).toEqual(['a'])
  })

  it('does not touch a file that already holds these bytes', () => {
    const folder = makeFolder({ a: 'same' })
    utimesSync(join(folder, 'a'), OLD, OLD)
    expect(writeAtomic(join(folder, 'a'), Buffer.from('same'))).toBe('unchanged')
    expect(statSync(join(folder, 'a')).mtime).toEqual(OLD)
    expect(writeAtomic(join(folder, 'a'), Buffer.from('diff'))).toBe('written')
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('diff')
  })

  it('keeps permissions and links of the file it replaces', () => {
    const folder = makeFolder({ real: 'old' })
    chmodSync(join(folder, 'real'), 0o600)
    symlinkSync('real', join(folder, 'link'))
    writeAtomic(join(folder, 'link'), Buffer.from('new'))
    expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(folder, 'real'), 'utf8')).toBe('new')
    expect(statSync(join(folder, 'real')).mode & 0o777).toBe(0o600)
  })

  it('writes to a device without replacing it', () => {
    expect(writeAtomic('/dev/null', Buffer.from('x'))).toBe('written')
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true)
  })

  it('removes the temporary file when it cannot finish', () => {
    const folder = makeFolder()
    mkdirSync(join(folder, 'a'))
    writeFileSync(join(folder, 'a', 'x'), '')
    expect(() => writeAtomic(join(folder, 'a'), Buffer.from('new'))).toThrow('it is a folder')
    expect(readdirSync(folder)).toEqual(['a'])
  })
})

describe('writeGenerated', () => {
  it('writes a file, keeps its permissions, and does not touch one with the same bytes', () => {
    const folder = makeFolder({ a: 'old' })
    const path = join(folder, 'a')
    chmodSync(path, 0o600)
    expect(writeGenerated(path, Buffer.from('new'), 'a')).toBe('written')
    expect(readFileSync(path, 'utf8')).toBe('new')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    utimesSync(path, OLD, OLD)
    expect(writeGenerated(path, Buffer.from('new'), 'a')).toBe('unchanged')
    expect(statSync(path).mtime).toEqual(OLD)
    expect(writeGenerated(join(folder, 'b'), Buffer.from('b'), 'b')).toBe('written')
    expect(readdirSync(folder)).toEqual(['a', 'b'])
  })

  it('refuses a link also if its target holds these bytes', () => {
    const folder = makeFolder({ real: 'same' })
    symlinkSync('real', join(folder, 'link'))
    expect(() => writeGenerated(join(folder, 'link'), Buffer.from('same'), 'link')).toThrow(
      'cannot write link: it is a symbolic link',
    )
  })

  it('refuses a folder and a device', () => {
    const folder = makeFolder({ 'a/b': '' })
    expect(() => writeGenerated(join(folder, 'a'), Buffer.from(''), 'a')).toThrow(
      'cannot write a: it is a folder',
    )
    expect(() => writeGenerated('/dev/null', Buffer.from(''), 'null')).toThrow(
      'cannot write null: it is not a file',
    )
  })

  it('replaces a hard link, and leaves the other name of the file unchanged', () => {
    const folder = makeFolder({ other: 'old' })
    linkSync(join(folder, 'other'), join(folder, 'a'))
    writeGenerated(join(folder, 'a'), Buffer.from('new'), 'a')
    expect(readFileSync(join(folder, 'other'), 'utf8')).toBe('old')
  })
})
