import { spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { launcher, makeFolder } from '../../test-kit/test/run-pack.ts'

const PACKAGE = '{"type":"module","imports":{"#main":"./dist/main.js"}}'
const OLD = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })`

function makePackage(files: Readonly<Record<string, string>> = {}): string {
  const folder = makeFolder({ 'package.json': PACKAGE, ...files })
  mkdirSync(join(folder, 'bin'))
  copyFileSync(launcher, join(folder, 'bin', 'pack.js'))
  return folder
}

function run(
  folder: string,
  args: readonly string[],
  nodeArgs: readonly string[] = [],
): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [...nodeArgs, join(folder, 'bin', 'pack.js'), ...args], {
    encoding: 'utf8',
  })
}

describe('bin/pack.js', () => {
  it('loads the built program', () => {
    const folder = makePackage({ 'dist/main.js': 'console.log(process.argv.slice(2).join())' })
    expect(run(folder, ['a', 'b'])).toMatchObject({ status: 0, stdout: 'a,b\n', stderr: '' })
  })

  it('explains how to build if nothing is built', () => {
    const folder = makePackage()
    expect(run(folder, [])).toMatchObject({ status: 3, stdout: '' })
    expect(run(folder, []).stderr).toMatch(/^error: the pack program has not been built yet\nhint: run `npx /)
    expect(JSON.parse(run(folder, ['--json']).stdout)).toMatchObject({
      ok: false,
      error: { code: 'not_built' },
    })
  })

  it('does not report a missing module of the built program as a missing build', () => {
    const folder = makePackage({ 'dist/main.js': "import 'absent-package'" })
    expect(run(folder, []).stderr).toContain("Cannot find package 'absent-package'")
  })

  it('refuses a Node that is too old with one message', () => {
    const folder = makePackage({ 'dist/main.js': 'console.log("loaded")' })
    const { status, stdout, stderr } = run(folder, [], ['--import', OLD])
    expect({ status, stdout }).toEqual({ status: 3, stdout: '' })
    expect(stderr).toContain('error: pack needs Node 22.15 or newer, but was started with 20.20.2\n')
  })

  it.each([
    ['its package', '.', '.'],
    ['the clone that it is in', 'packages/cli', '.'],
  ])('relaunches with the newer Node of %s, and keeps arguments and exit status', (_, own, place) => {
    const top = makeFolder({ 'pnpm-workspace.yaml': '' })
    const folder = installPackage(join(top, own))
    installNode(join(top, place))
    const { status, stdout } = run(folder, ['decode', 'a b'], ['--import', OLD])
    expect({ status, stdout }).toEqual({
      status: 7,
      stdout: `other node: --import ${OLD} ${join(folder, 'bin', 'pack.js')} decode a b\n`,
    })
  })

  it.each(['.', 'a', 'a/b', 'a/b/node_modules'])('runs no Node of a folder above it: %s', (place) => {
    const top = makeFolder()
    const folder = installPackage(join(top, 'a/b/node_modules/@packs/cli'))
    installNode(join(top, place))
    expect(run(folder, [], ['--import', OLD])).toMatchObject({ status: 3, stdout: '' })
  })
})

function installPackage(folder: string): string {
  mkdirSync(join(folder, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), PACKAGE)
  copyFileSync(launcher, join(folder, 'bin', 'pack.js'))
  return folder
}

function installNode(folder: string): void {
  const node = join(folder, 'node_modules', '.bin', 'node')
  mkdirSync(dirname(node), { recursive: true })
  copyFileSync(new URL('fixtures/other-node.sh', import.meta.url), node)
  chmodSync(node, 0o755)
}
