import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

/** Path of a Chromium: `CHROMIUM_PATH`, one on the `PATH`, or a new installation if that needs no confirmation. */
export function findChromium(): string {
  const found = process.env['CHROMIUM_PATH'] ?? search()
  if (found !== undefined) return found
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'pipe' })
    // Another test may be installing a package at the same time.
    const wait = ['-o', 'DPkg::Lock::Timeout=300']
    const options = [...wait, 'install', '-y', '-qq', '--no-install-recommends', 'chromium']
    execFileSync('apt-get', options, {
      stdio: 'pipe',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
    const installed = search()
    if (installed !== undefined) return installed
  }
  throw new Error('The browser test needs Chromium: install it, or name it in CHROMIUM_PATH.')
}

function search(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path))
}
