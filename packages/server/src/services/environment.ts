import { findClosestWord } from '@packs/codec/internal'
import { readRegularFile } from '@packs/files'
import { Option } from 'commander'
import { CommandError } from '../command-error.ts'

/** Variables that a file can hold instead, which `NAME_FILE` names. */
const SECRETS = ['DATABASE_URL', 'REDIS_URL', 'PACK_OPERATOR_TOKEN', 'PACK_SECRET', 'PACK_SMTP_URL'] as const

/** Those that set an option: `PACK_ADMIN_PORT` for `--admin-port`. */
const OPTIONS =
  'PACK_DATA PACK_PORT PACK_HOST PACK_BASE_URL PACK_TRUST_PROXY PACK_KEYS PACK_ADMIN_PORT PACK_DRAIN PACK_MEMORY PACK_CONCURRENCY PACK_DEADLINE'

const OTHERS =
  'PACK_SMTP_FROM PACK_CONTACT PACK_OPERATOR_NAME PACK_BUILD_SECONDS PACK_LOG_LEVEL PACK_ACCESS_LOG PACK_DEBUG'

/** Those of commands that use a catalog, which may be set on the same machine. */
const CLIENTS = 'PACK_URL PACK_KEY PACK_PUBLISH_TOKEN PACK_ALLOW_HTTP PACK_EVAL_KEY'

/** Every variable that `pack` reads, without those of Node.js and of the system. */
export const variableNames: readonly string[] = [
  ...SECRETS.flatMap((name) => [name, `${name}_FILE`]),
  ...`${OPTIONS} ${OTHERS} ${CLIENTS}`.split(' '),
]

/** Lists what begins with `PACK_` but is none of them, with the name that may be meant. */
export function listUnknownVariables(): readonly {
  readonly variable: string
  readonly meant: string | undefined
}[] {
  const unknown = Object.keys(process.env).filter(
    (name) => name.startsWith('PACK_') && !variableNames.includes(name),
  )
  return unknown.map((name) => ({ variable: name.slice(0, 80), meant: findClosestWord(name, variableNames) }))
}

/** Creates an option that a variable can set, too. An empty one counts as unset, like others. */
export function createOption(flags: string, description: string): Option {
  const option = new Option(flags, description)
  const name = `PACK_${option.name().replaceAll('-', '_').toUpperCase()}`
  return process.env[name] === '' ? option : option.env(name)
}

const MAX_BYTES = 65_536

/**
 * Reads a secret from its variable, or from the file that `NAME_FILE` names.
 * @throws CommandError `usage` if both are set, or if the file cannot be read or is empty
 */
export function readSecret(name: (typeof SECRETS)[number]): string | undefined {
  const { [name]: given, [`${name}_FILE`]: file } = process.env
  if (!file) return given || undefined
  if (given) throw new CommandError('usage', `${name} and ${name}_FILE are both set`, 'unset one of them')
  const hint = `set ${name}_FILE to a file that this user can read, with the value alone`
  let text: string
  try {
    text = readRegularFile(file, MAX_BYTES).data.toString().trim()
  } catch (cause) {
    throw new CommandError('usage', `${name}_FILE: ${file} cannot be read`, hint, { file, cause })
  }
  if (text !== '') return text
  throw new CommandError('usage', `${name}_FILE: ${file} is empty`, hint, { file })
}
