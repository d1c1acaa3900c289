import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readVersion } from '../../src/package-files.ts'
import { makeFolder, runPack, type Run } from '../../../test-kit/test/run-pack.ts'

const SERVER = 'node_modules/@packs/server'
const CLI = fileURLToPath(new URL('../../', import.meta.url))
const version = readVersion()

/** Installs the program as npm does, and runs it. */
function installProgram(folder: string): (args: readonly string[], cwd: string) => Promise<Run> {
  const place = join(folder, 'node_modules/@packs/cli')
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(CLI, part), join(place, part), { recursive: true })
  const program = join(place, 'bin', 'pack.js')
  return (args, cwd) => runPack(args, { cwd, launcher: program, env: { NODE_PATH: '' } })
}

/** Installs a server whose only command says where it is. */
function installServer(folder: string, name: string): void {
  const place = join(folder, SERVER)
  const manifest = {
    name: '@packs/server',
    version,
    type: 'module',
    exports: { '.': './index.js', './package.json': './package.json' },
  }
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'package.json'), JSON.stringify(manifest))
  const run = `async () => (process.stdout.write('server of ${name}\\n'), 'done')`
  const serve = `async () => ({ configure: (command) => command, run: ${run} })`
  writeFileSync(
    join(place, 'index.js'),
    `export const exitOfCode = {}\nexport const commands = { serve: ${serve} }\n`,
  )
}

describe('@packs/server', () => {
  it('is not taken from a folder above the program or the project', async () => {
    const top = makeFolder({ 'own/app/package.json': '{}', 'own/.keep': '' })
    installServer(top, 'another user')
    const run = installProgram(join(top, 'own'))
    for (const cwd of ['own', 'own/app']) {
      const { status, stdout, stderr } = await run(['serve'], join(top, cwd))
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
      expect(stderr).toContain('pack serve needs the package @packs/server, which is not installed')
    }
    expect((await run(['--version'], top)).stdout).toBe(
      `${version}\n@packs/server ${version} in ${join(top, SERVER)}\n`,
    )
  })

  it('is taken from beside the program, else from the project of the working folder', async () => {
    const top = makeFolder({ 'own/.keep': '', 'app/package.json': '{}', 'app/docs/a.md': '' })
    const run = installProgram(join(top, 'own'))
    const docs = join(top, 'app/docs')
    installServer(join(top, 'app'), 'the project')
    expect((await run(['serve'], docs)).stdout).toBe('server of the project\n')
    installServer(join(top, 'own'), 'the program')
    expect((await run(['serve'], docs)).stdout).toBe('server of the program\n')
    expect((await run(['--version'], docs)).stdout).toBe(
      `${version}\n@packs/server ${version} in ${join(top, 'own', SERVER)}\n`,
    )
  })

  it.each(['.', 'package.json', 'node_modules', SERVER, `${SERVER}/package.json`, `${SERVER}/index.js`])(
    'is refused where others can write to %s of the project',
    async (part) => {
      const app = makeFolder({ 'package.json': '{}' })
      const run = installProgram(makeFolder())
      installServer(app, 'the project')
      chmodSync(join(app, part), 0o777)
      const { status, stdout, stderr } = await run(['serve'], app)
      expect({ status, stdout }).toEqual({ status: 4, stdout: '' })
      expect(stderr).toContain(`error: @packs/server is not loaded: ${join(app, part)}`)
      expect((await run(['--version'], app)).stdout).toContain('@packs/server is not loaded: ')
    },
  )

  it('is refused where its link leads to a folder that others can write to', async () => {
    const top = makeFolder({ 'app/package.json': '{}', 'shared/.keep': '' })
    const run = installProgram(makeFolder())
    installServer(join(top, 'shared'), 'another user')
    mkdirSync(dirname(join(top, 'app', SERVER)), { recursive: true })
    symlinkSync(join(top, 'shared', SERVER), join(top, 'app', SERVER))
    chmodSync(join(top, 'shared'), 0o777)
    expect((await run(['serve'], join(top, 'app'))).status).toBe(4)
  })
})
