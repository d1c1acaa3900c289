import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { digestProgram, type DigestStore } from '../../../src/build-run/cache/digest-program.ts'
import { makeFolder } from '../../run-pack.ts'

function createStore(): DigestStore & { readonly files: Map<string, Uint8Array> } {
  const files = new Map<string, Uint8Array>()
  return { files, read: (name) => files.get(name), write: (name, data) => void files.set(name, data) }
}

function makeCodec(): string {
  return makeFolder({
    'package.json': '{"version":"1.0.0"}',
    'dist/a.js': 'one',
    'dist/a.d.ts': 'types',
    'dist/sub/b.js': 'two',
  })
}

it('is the same for the same files in another folder', () => {
  expect(digestProgram(createStore(), [join(makeCodec(), 'dist')])).toBe(
    digestProgram(createStore(), [join(makeCodec(), 'dist')]),
  )
})

it('changes with a file, also if its size and time are as before, and with the manifest', () => {
  const store = createStore()
  const codec = makeCodec()
  const folder = join(codec, 'dist')
  const first = digestProgram(store, [folder])
  expect(digestProgram(store, [folder])).toBe(first)

  const file = join(folder, 'sub/b.js')
  const { atime, mtime } = statSync(file)
  writeFileSync(file, 'owt')
  utimesSync(file, atime, mtime)
  const second = digestProgram(store, [folder])
  expect(second).not.toBe(first)

  writeFileSync(join(codec, 'package.json'), '{"version":"1.0.1"}')
  const third = digestProgram(store, [folder])
  expect(new Set([first, second, third]).size).toBe(3)
  writeFileSync(join(folder, 'a.d.ts'), 'other types')
  expect(digestProgram(store, [folder])).toBe(third)
})

it('does not trust what it has stored', () => {
  const codec = makeCodec()
  const store = createStore()
  const digest = digestProgram(store, [join(codec, 'dist')])
  const [name = ''] = store.files.keys()
  const good = Buffer.from(store.files.get(name)!).toString()
  for (const text of ['', '{', '[{"stamp":1}]', good.replaceAll(digest, 'no digest')]) {
    store.files.set(name, Buffer.from(text))
    expect(digestProgram(store, [join(codec, 'dist')])).toBe(digest)
  }
  expect(readFileSync(join(codec, 'dist/a.js'), 'utf8')).toBe('one')
})
