import { createHash, randomBytes } from 'node:crypto'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import type { SettingStore } from '@packs/catalog'
import { createPrivately, makeFolder, readRegularFile } from '@packs/client/node'
import { CommandError } from '../command-error.ts'

const MIN_SECRET_LENGTH = 32
const MIN_TOKEN_LENGTH = 16
const MAX_TOKEN_FILE = 65_536
const VARIABLES: ReadonlyMap<string, string> = new Map([
  ['cursor', 'PACK_CURSOR_SECRET'],
  ['sign-in', 'PACK_SIGN_IN_SECRET'],
])

/** Secrets from the environment, by their names in the catalog. */
export type SecretOverrides = ReadonlyMap<string, Uint8Array>

export function readSecrets(environment: Readonly<Record<string, string | undefined>>): SecretOverrides {
  const secrets = new Map<string, Uint8Array>()
  for (const [name, variable] of VARIABLES) {
    const text = environment[variable]
    if (text) secrets.set(name, digestSecret(text, variable))
  }
  return secrets
}

/** Returns settings with these secrets, and the catalog's own for all others. */
export function overrideSecrets(settings: SettingStore, overrides: SecretOverrides): SettingStore {
  return {
    ...settings,
    async secret(name) {
      return overrides.get(name) ?? settings.secret(name)
    },
  }
}

function digestSecret(text: string, variable: string): Uint8Array {
  if (text.length >= MIN_SECRET_LENGTH && /^[\x21-\x7e]+$/.test(text))
    return createHash('sha256').update(text).digest()
  throw new CommandError(
    'usage',
    `the secret in ${variable} is too short or contains spaces or other invalid characters`,
    `use at least ${MIN_SECRET_LENGTH} random visible ASCII characters, for example from openssl rand -hex 32, and the same secret on all servers`,
  )
}

/** The token for the operator's pages, and the file that holds it, if any. */
export interface OperatorToken {
  readonly token: string
  readonly file: string | undefined
}

/**
 * Without a configured token, it is in the file `operator-token` of the folder. The first start
 * creates that file with a random token, readable only by its owner.
 */
export function loadOperatorToken(configured: string | undefined, folder: string): OperatorToken {
  if (configured !== undefined)
    return { token: checkToken(configured, 'PACK_OPERATOR_TOKEN'), file: undefined }
  const file = join(folder, 'operator-token')
  try {
    const known = readTokenFile(file) ?? createTokenFile(file, folder)
    return { token: checkToken(known, file), file }
  } catch (error) {
    if (error instanceof CommandError) throw error
    const details = { file, cause: error }
    if (isFilePath(error)) {
      const problem = `${folder} cannot be the data folder, because it or a folder above it is a file`
      const hint = 'set --data to a folder, which is created if it does not exist'
      throw new CommandError('file_unreadable', problem, hint, details)
    }
    const hint = 'set PACK_OPERATOR_TOKEN, or set --data to a folder that you can write to'
    throw new CommandError('file_unreadable', `${file} can be neither read nor created`, hint, details)
  }
}

function isFilePath(error: unknown): boolean {
  return ['ENOTDIR', 'EEXIST'].includes(String((error as NodeJS.ErrnoException).code))
}

function readTokenFile(file: string): string | undefined {
  try {
    const token = readRegularFile(file, MAX_TOKEN_FILE).data.toString().trim()
    chmodSync(file, 0o600)
    return token
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Another server may start at the same time. One of them creates the file, and both use it. */
function createTokenFile(file: string, folder: string): string {
  makeFolder(folder)
  try {
    createPrivately(file, Buffer.from(`${randomBytes(32).toString('base64url')}\n`))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readRegularFile(file, MAX_TOKEN_FILE).data.toString().trim()
}

function checkToken(token: string, origin: string): string {
  if (token.length >= MIN_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(token)) return token
  const hint = `use at least ${MIN_TOKEN_LENGTH} visible ASCII characters without spaces`
  const problem = `the operator's token in ${origin} is too short or contains spaces or other invalid characters`
  throw new CommandError('usage', problem, hint)
}
