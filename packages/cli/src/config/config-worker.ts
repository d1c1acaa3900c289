import { fileURLToPath } from 'node:url'
import { serveTasks } from '@packs/codec/task-thread'
import { createJiti } from 'jiti'
import { locateModule } from '../package-files.ts'
import type { ConfigFailure, ConfigMessage } from './run-config.ts'
import { validateConfig } from './validate-config.ts'

serveTasks(readConfig)

async function readConfig(path: string): Promise<ConfigMessage> {
  const entry = fileURLToPath(locateModule('index'))
  // The alias lets a configuration import defineConfig where this package is not installed beside it.
  const alias = { '@packs/cli': entry }
  const jiti = createJiti(import.meta.url, { fsCache: false, tryNative: false, alias })
  let value: unknown
  try {
    const exported = await jiti.import<Readonly<Record<string, unknown>>>(path)
    if (!('default' in exported)) {
      const message = 'it has no default export'
      return { failure: { message, hint: 'write `export default { … }`' } }
    }
    value = await exported['default']
  } catch (error) {
    return { failure: describeFailure(error, path) }
  }
  if (typeof value === 'function') {
    const message = 'it exports a function, not a configuration'
    return { failure: { message, hint: 'export the object that the function returns' } }
  }
  return validateConfig(value)
}

function describeFailure(error: unknown, path: string): ConfigFailure {
  if (!(error instanceof Error)) {
    return { message: `it threw ${String(error)}`, hint: 'throw an Error, which has a place' }
  }
  const syntax = error.message.startsWith('ParseError: ') ? /:(\d+):(\d+)$/.exec(error.message) : null
  if (syntax !== null) {
    const [, line, column] = syntax
    const [reason = ''] = error.message.slice('ParseError: '.length).split('\n')
    const message = `it is not valid TypeScript or JavaScript: ${reason.trimEnd()}`
    return { message, hint: 'correct this place', line: Number(line), column: Number(column) + 1 }
  }
  const [reason = ''] = error.message.split('\n')
  const hint = /^Cannot find (?:module|package)/.test(reason)
    ? 'correct the import, or install the package'
    : 'correct this place'
  return { message: `it failed: ${reason || error.name}`, hint, ...findLine(error, path) }
}

/** Finds the innermost line of the configuration in a stack trace. Columns of the first line are shifted by the loader. */
function findLine({ stack = '' }: Error, path: string): Pick<ConfigFailure, 'line'> {
  const at = stack.indexOf(`${path}:`)
  const line = at < 0 ? undefined : /^\d+/.exec(stack.slice(at + path.length + 1))?.[0]
  return line === undefined ? {} : { line: Number(line) }
}
