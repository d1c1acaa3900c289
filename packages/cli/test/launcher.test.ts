import { spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { launcher, makeFolder } from './run-pack.ts'

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

  it('relaunches with the newer Node of the workspace, and keeps arguments and exit status', () => {
    const folder = makePackage({ 'dist/main.js': '' })
    mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true })
    const node = join(folder, 'node_modules', '.bin', 'node')
    copyFileSync(new URL('fixtures/other-node.sh', import.meta.url), node)
    chmodSync(node, 0o755)
    const { status, stdout } = run(folder, ['decode', 'a b'], ['--import', OLD])
    expect({ status, stdout }).toEqual({
      status: 7,
      stdout: `other node: --import ${OLD} ${join(folder, 'bin', 'pack.js')} decode a b\n`,
    })
  })
})
