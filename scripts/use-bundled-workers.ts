// Makes the process of a test start threads and processes from the bundles of the run (see `bundleWorkers` in open-test-run.ts).
import childProcess from 'node:child_process'
import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import threads, { type WorkerOptions } from 'node:worker_threads'

const root = join(import.meta.dirname, '..')
const { PACKS_TEST_WORKERS: folder } = process.env
const { Worker } = threads
const { fork } = childProcess

if (folder !== undefined && Worker.name !== 'BundledWorker') {
  threads.Worker = class BundledWorker extends Worker {
    constructor(script: string | URL, options?: WorkerOptions) {
      const bundle = script instanceof URL ? findBundle(fileURLToPath(script)) : undefined
      super(bundle === undefined ? script : pathToFileURL(bundle), options)
    }
  }
  childProcess.fork = ((path: string, ...options: never[]) =>
    fork(findBundle(path) ?? path, ...options)) as typeof fork
  syncBuiltinESMExports()
}

function findBundle(path: string): string | undefined {
  const bundle = join(folder!, relative(root, path).replace(/\.ts$/, '.mjs'))
  return path.endsWith('.ts') && existsSync(bundle) ? bundle : undefined
}
