import { fileURLToPath } from 'node:url'
import { serveTasks } from '@packs/threads'
import { createJiti } from 'jiti'
import { locateModule } from '../package-files.ts'
import type { ConfigFailure, ConfigMessage, ConfigRequest } from './run-config.ts'
import type { PacksConfig, Prepare, PreparedSource } from './packs-config.ts'
import { validateConfig } from './validate-config.ts'

// Stdout is for the result of the command.
process.stdout.write = process.stderr.write.bind(process.stderr)
serveTasks(answer)

/** The configuration that was read; a thread reads one. */
let read: { readonly answer: ConfigMessage; readonly prepare: PacksConfig['prepare'] } | undefined

async function answer({ path, source }: ConfigRequest): Promise<ConfigMessage> {
  read ??= await readConfig(path)
  const { prepare } = read
  return source === undefined || prepare === undefined ? read.answer : prepareText(prepare, source, path)
}

async function prepareText(prepare: Prepare, source: PreparedSource, path: string): Promise<ConfigMessage> {
  try {
    const text: unknown = await prepare(source)
    if (typeof text === 'string' && text.isWellFormed()) return { text }
    const found = typeof text === 'string' ? 'a text with half of a surrogate pair' : describeType(text)
    const hint = 'return the text of the source, changed or not'
    return { failure: { message: `it returned ${found}`, hint } }
  } catch (error) {
    return { failure: describeFailure(error, path) }
  }
}

function describeType(value: unknown): string {
  if (value === undefined) return 'nothing'
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`
}

async function readConfig(path: string): Promise<NonNullable<typeof read>> {
  const entry = fileURLToPath(locateModule('index'))
  // The alias lets a configuration import defineConfig where this package is not installed beside it.
  const alias = { '@packs/cli': entry }
  const jiti = createJiti(import.meta.url, { fsCache: false, tryNative: false, alias })
  const fail = (failure: ConfigFailure): NonNullable<typeof read> => ({
    answer: { failure },
    prepare: undefined,
  })
  let value: unknown
  try {
    const exported = await jiti.import<Readonly<Record<string, unknown>>>(path)
    if (!('default' in exported))
      return fail({ message: 'it has no default export', hint: 'write `export default { … }`' })
    value = await exported['default']
  } catch (error) {
    return fail(describeFailure(error, path))
  }
  if (typeof value === 'function') {
    const message = 'it exports a function, not a configuration'
    return fail({ message, hint: 'export the object that the function returns' })
  }
  const result = validateConfig(value, true)
  if ('issues' in result) return { answer: result, prepare: undefined }
  const { prepare, ...config } = result.config
  return { answer: { config, hasPrepare: prepare !== undefined }, prepare }
}

function describeFailure(error: unknown, path: string): ConfigFailure {
  if (!(error instanceof Error)) {
    return { message: `it threw ${String(error)}`, hint: 'throw an Error, which has a position' }
  }
  const syntax = error.message.startsWith('ParseError: ') ? /:(\d+):(\d+)$/.exec(error.message) : null
  if (syntax !== null) {
    const [, line, column] = syntax
    const [reason = ''] = error.message.slice('ParseError: '.length).split('\n')
    const message = `it is not valid TypeScript or JavaScript: ${reason.trimEnd()}`
    return { message, hint: 'correct this line', line: Number(line), column: Number(column) + 1 }
  }
  const [reason = ''] = error.message.split('\n')
  const hint = /^Cannot find (?:module|package)/.test(reason)
    ? 'correct the import, or install the package'
    : 'correct this line'
  return { message: `it failed: ${reason || error.name}`, hint, ...findLine(error, path) }
}

/** Finds the innermost frame in the configuration. The loader shifts columns of the first line. */
function findLine({ stack = '' }: Error, path: string): Pick<ConfigFailure, 'line'> {
  const at = stack.indexOf(`${path}:`)
  const line = at < 0 ? undefined : /^\d+/.exec(stack.slice(at + path.length + 1))?.[0]
  return line === undefined ? {} : { line: Number(line) }
}
