#!/usr/bin/env node
// Plain JavaScript that old Node versions can parse. It chooses the Node that runs the program, then loads the program.
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MINIMUM = [22, 15]
const here = dirname(fileURLToPath(import.meta.url))

if (!isRecentEnough(process.versions.node)) {
  const other = findWorkspaceNode()
  if (other) await relaunch(other)
  else {
    fail(
      'node_too_old',
      `pack needs Node ${MINIMUM.join('.')} or newer, but was started with ${process.versions.node}`,
      'install a newer Node; in a clone of Packs, `npx -y pnpm@12 install` installs one for it',
    )
  }
} else {
  try {
    await import('#main')
  } catch (error) {
    if (!isProgramMissing(error)) throw error
    fail(
      'not_built',
      'the pack program has not been built yet',
      'run `npx -y pnpm@12 run build` in the workspace',
    )
  }
}

function isRecentEnough(version) {
  const [major, minor] = version.split('.').map(Number)
  return major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1])
}

/** Looks in this package, and in the clone that it may be part of. Above them, others may be able to put a program. */
function findWorkspaceNode() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  const running = realpathSync(process.execPath)
  const workspace = join(here, '..', '..', '..')
  const folders = [
    join(here, '..'),
    ...(existsSync(join(workspace, 'pnpm-workspace.yaml')) ? [workspace] : []),
  ]
  return folders
    .map((folder) => join(folder, 'node_modules', '.bin', name))
    .find((candidate) => existsSync(candidate) && realpathSync(candidate) !== running)
}

async function relaunch(node) {
  // Loading them takes 4 ms, and few runs need them.
  const { spawn } = await import('node:child_process')
  const { constants } = await import('node:os')
  const child = spawn(node, [...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) =>
    fail(
      'node_failed',
      `${node} did not start: ${error.message}`,
      'run `npx -y pnpm@12 install` in the workspace again',
    ),
  )
  child.on('exit', (code, signal) => {
    process.exitCode = signal ? 128 + constants.signals[signal] : (code ?? 3)
  })
}

function isProgramMissing(error) {
  return error.code === 'ERR_MODULE_NOT_FOUND' && !existsSync(join(here, '..', 'dist', 'main.js'))
}

function fail(code, message, hint) {
  if (process.argv.includes('--json')) {
    process.stdout.write(`${JSON.stringify({ ok: false, error: { code, message, hint } })}\n`)
  } else process.stderr.write(`error: ${message}\nhint: ${hint}\n`)
  process.exitCode = 3
}
