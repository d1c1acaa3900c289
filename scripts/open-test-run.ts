import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates the folder that the processes of a test run share, and removes it after the run. They share compiled modules too. */
// oxlint-disable-next-line import/no-default-export -- vitest loads this file by its default export
export default function openTestRun(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'packs-test-run-'))
  process.env['PACKS_TEST_RUN'] = folder
  // Programs start hundreds of times, some from source, and a module whose types must be stripped takes long to load.
  process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache')
  return () => rmSync(folder, { recursive: true, force: true })
}
