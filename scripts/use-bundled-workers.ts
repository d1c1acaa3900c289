// Makes the process of a test start threads and processes from the bundles of the run (see `bundleWorkers` in open-test-run.ts).
import childProcess, { type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import threads, { type WorkerOptions } from 'node:worker_threads'

const root = join(import.meta.dirname, '..')
const { PACKS_TEST_WORKERS: folder } = process.env
const { Worker } = threads
const { fork, spawn, spawnSync } = childProcess

if (folder !== undefined && Worker.name !== 'BundledWorker') {
  threads.Worker = class BundledWorker extends Worker {
    constructor(script: string | URL, options?: WorkerOptions) {
      super(script instanceof URL ? pathToFileURL(findBundle(fileURLToPath(script))) : script, options)
    }

    /** The thread of a catalog is told which module does a task. */
    override postMessage(message: { readonly module?: string }, ...rest: never[]): void {
      const { module: url } = message
      const told = url?.startsWith('file:') ? { ...message, module: findBundledUrl(url) } : message
      super.postMessage(told, ...rest)
    }
  }
  Object.assign(childProcess, {
    fork: (path: string, ...options: never[]) => tellBundle(fork(findBundle(path), ...options)),
    spawn: (program: string, args: unknown, ...options: never[]) =>
      spawn(program, findBundles(args) as string[], ...options),
    spawnSync: (program: string, args: unknown, ...options: never[]) =>
      spawnSync(program, findBundles(args) as string[], ...options),
  })
  syncBuiltinESMExports()
}

/** Returns the bundle of a module, or its own path if there is none. */
function findBundle(path: string): string {
  const bundle = join(folder!, relative(root, path).replace(/\.ts$/, '.mjs'))
  return path.endsWith('.ts') && existsSync(bundle) ? bundle : path
}

function findBundledUrl(url: string): string {
  return pathToFileURL(findBundle(fileURLToPath(url))).href
}

function findBundles(args: unknown): unknown {
  return Array.isArray(args) ? (args as string[]).map(findBundle) : args
}

/** BullMQ tells a process which module does its jobs. */
function tellBundle(child: ChildProcess): ChildProcess {
  const send = child.send.bind(child)
  child.send = (message: object, ...rest: never[]) => {
    const { value } = message as { readonly value?: unknown }
    const isModule = typeof value === 'string' && value.startsWith('file:')
    return send(isModule ? { ...message, value: findBundledUrl(value) } : message, ...rest)
  }
  return child
}
