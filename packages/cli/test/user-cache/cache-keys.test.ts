import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { digestProgram } from '../../src/user-cache/cache-keys.ts'
import { makeFolder } from '../run-pack.ts'

function makeProgram(): string[] {
  const folder = makeFolder({ 'main.js': 'one', 'worker.js': 'two' })
  return ['main.js', 'worker.js'].map((name) => join(folder, name))
}

it('is the same for the same files in another folder', () => {
  expect(digestProgram(makeProgram())).toBe(digestProgram(makeProgram()))
})

it('changes with a file, and with where one ends and the next begins', () => {
  const files = makeProgram()
  const before = digestProgram(files)
  writeFileSync(files[1]!, 'owt')
  const changed = digestProgram(files)
  writeFileSync(files[0]!, 'onet')
  writeFileSync(files[1]!, 'wo')
  expect(new Set([before, changed, digestProgram(files)]).size).toBe(3)
})
