import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { makeFolder } from '../run-pack.ts'

/** A script that returns what it is asked for, in the form of `scripts/bundle-program.js`. */
const SCRIPT = `(function (require, module, bundle) {
  module.exports = async (part) => {
    if (part === 'first') return bundle.use(part), first()
    if (part === 'second') return bundle.use(part), second()
    if (part === 'require') return require('node:path').basename('a/b')
    if (part === 'url') return bundle.url('sub/worker.js')
    if (part === 'load') return (await bundle.load(bundle.url('beside.mjs'))).default
  }
  function first() { return 'one' }
  function second() { return 'two' }
})`

interface Place {
  readonly root: string
  readonly code: string
}

function makePlace(files: Readonly<Record<string, string>> = {}): Place {
  const root = makeFolder({ 'dist/bundle.cjs': SCRIPT, 'code/.keep': '', ...files })
  return { root, code: join(root, 'code') }
}

/** A program that runs a part of a script, all of which are arguments. */
const PROGRAM = `
import { loadBundle } from ${JSON.stringify(new URL('../../src/user-cache/load-bundle.ts', import.meta.url).href)}
const [script, code, part] = process.argv.slice(2)
const run = loadBundle(new URL(script), code)
process.stdout.write(String(await run?.(part)))`

/** Runs a part of the script in a process of its own, since code is stored when a process ends. */
function runPart({ root, code }: Place, part: string, nodeArgs: readonly string[] = []): string {
  const program = join(makeFolder({ 'program.mjs': PROGRAM }), 'program.mjs')
  const { NODE_OPTIONS: _, ...env } = process.env
  const script = pathToFileURL(join(root, 'dist/bundle.cjs')).href
  return execFileSync(process.execPath, [...nodeArgs, program, script, code, part], { encoding: 'utf8', env })
}

function listCode({ code }: Place): string[] {
  return readdirSync(code).filter((name) => name !== '.keep')
}

describe('loadBundle', () => {
  it.each([
    ['require', 'b'],
    ['load', 'beside'],
  ])('lets the script %s modules', (part, result) => {
    expect(runPart(makePlace({ 'dist/beside.mjs': "export default 'beside'" }), part)).toBe(result)
  })

  it('tells the script where the modules are that it was joined from', () => {
    const place = makePlace()
    expect(runPart(place, 'url')).toBe(pathToFileURL(join(place.root, 'dist/sub/worker.js')).href)
  })

  it('finds no script where there is none', () => {
    expect(runPart({ ...makePlace(), root: makeFolder() }, 'first')).toBe('undefined')
  })

  it.each(['dist/.tsbuildinfo', '../codec/dist/.tsbuildinfo'])(
    'does not take a script that is older than the modules of %s',
    (build) => {
      const root = join(makeFolder({ 'cli/dist/bundle.cjs': SCRIPT, 'codec/dist/.keep': '' }), 'cli')
      const place = { root, code: makeFolder() }
      writeFileSync(join(root, build), '')
      utimesSync(join(root, build), 1, 1)
      expect(runPart(place, 'first')).toBe('one')
      const { mtime } = statSync(join(root, 'dist/bundle.cjs'))
      const later = new Date(mtime.getTime() + 1000)
      utimesSync(join(root, build), later, later)
      expect(runPart(place, 'first')).toBe('undefined')
    },
  )

  it('stores code for this user only, and leaves it as it is', () => {
    const place = makePlace()
    expect(runPart(place, 'first')).toBe('one')
    const [name = ''] = listCode(place)
    const before = statSync(join(place.code, name))
    expect(before.mode & 0o777).toBe(0o600)
    expect(runPart(place, 'first')).toBe('one')
    expect(listCode(place)).toEqual([name])
    expect(statSync(join(place.code, name)).ino).toBe(before.ino)
  })

  it('adds the code of a part that is used for the first time, and keeps that of others', () => {
    const place = makePlace()
    runPart(place, 'first')
    const path = join(place.code, listCode(place)[0]!)
    const first = statSync(path)
    expect(runPart(place, 'second')).toBe('two')
    const both = statSync(path)
    expect(both.size).toBeGreaterThan(first.size)
    runPart(place, 'first')
    expect(statSync(path).ino).toBe(both.ino)
  })

  it('stores code of its own for another script and for other options of Node', () => {
    const place = makePlace()
    runPart(place, 'first')
    // Of the same length, which is all that V8 compares.
    writeFileSync(join(place.root, 'dist/bundle.cjs'), SCRIPT.replace("'one'", "'ONE'"))
    expect(runPart(place, 'first')).toBe('ONE')
    expect(runPart(place, 'first', ['--no-opt'])).toBe('ONE')
    expect(listCode(place)).toHaveLength(3)
  })

  it.each<[string, (data: Buffer) => Uint8Array]>([
    ['is cut short', (data) => data.subarray(0, -4)],
    ['is empty', () => Buffer.of()],
    [
      'has a changed byte',
      (data) => Buffer.concat([data.subarray(0, 500), Buffer.of(data[500]! ^ 1), data.subarray(501)]),
    ],
    ['is something else', () => Buffer.from('not compiled code')],
  ])('replaces code that %s', (_, damage) => {
    const place = makePlace()
    runPart(place, 'first')
    const path = join(place.code, listCode(place)[0]!)
    const damaged = damage(readFileSync(path))
    writeFileSync(path, damaged)
    expect(runPart(place, 'first')).toBe('one')
    const { ino } = statSync(path)
    expect(readFileSync(path).equals(damaged)).toBe(false)
    runPart(place, 'first')
    expect(statSync(path).ino).toBe(ino)
  })

  it('replaces a link and does not write through it', () => {
    const place = makePlace({ other: 'kept' })
    runPart(place, 'first')
    const path = join(place.code, listCode(place)[0]!)
    const other = makePlace({ other: 'kept' })
    writeFileSync(join(other.root, 'dist/bundle.cjs'), SCRIPT)
    symlinkSync(join(other.root, 'other'), join(other.code, path.slice(path.lastIndexOf('program-'))))
    expect(runPart(other, 'first')).toBe('one')
    expect(readFileSync(join(other.root, 'other'), 'utf8')).toBe('kept')
  })

  it('removes code that was not used for long', () => {
    const place = makePlace({ 'code/program-00000000': '', 'code/program-00000001': '', 'code/other': '' })
    for (const name of ['program-00000000', 'other']) utimesSync(join(place.code, name), 1, 1)
    runPart(place, 'first')
    expect(listCode(place)).toHaveLength(3)
    expect(listCode(place)).toContain('program-00000001')
    expect(listCode(place)).toContain('other')
  })

  it('runs without stored code where none can be written', () => {
    const place = { ...makePlace(), code: '/dev/null/none' }
    expect(runPart(place, 'first')).toBe('one')
  })
})
