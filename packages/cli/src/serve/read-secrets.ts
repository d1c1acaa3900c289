import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SettingStore } from '@packs/catalog'
import { CliError } from '../cli-error.ts'
import { makeFolder } from '../output/make-folder.ts'

const MIN_SECRET_LENGTH = 32
const MIN_TOKEN_LENGTH = 16
const VARIABLES: ReadonlyMap<string, string> = new Map([
  ['cursor', 'PACK_CURSOR_SECRET'],
  ['sign-in', 'PACK_SIGN_IN_SECRET'],
])

/** What the environment says of secrets, by the name that the catalog has for each. */
export type SecretOverrides = ReadonlyMap<string, Uint8Array>

/** Reads the secrets that stand in the place of the catalog's own. @throws CliError `usage` for one that is too short */
export function readSecrets(environment: Readonly<Record<string, string | undefined>>): SecretOverrides {
  const secrets = new Map<string, Uint8Array>()
  for (const [name, variable] of VARIABLES) {
    const text = environment[variable]
    if (text) secrets.set(name, digestSecret(text, variable))
  }
  return secrets
}

/** Settings whose secrets are those that were given, as far as they were; the others are the catalog's. */
export function overrideSecrets(settings: SettingStore, given: SecretOverrides): SettingStore {
  return {
    ...settings,
    async secret(name) {
      return given.get(name) ?? settings.secret(name)
    },
  }
}

function digestSecret(text: string, variable: string): Uint8Array {
  if (text.length >= MIN_SECRET_LENGTH && /^[\x21-\x7e]+$/.test(text))
    return createHash('sha256').update(text).digest()
  throw new CliError(
    'usage',
    `the secret in ${variable} is too short, or has spaces or other characters`,
    `use at least ${MIN_SECRET_LENGTH} visible ASCII characters made by chance, as openssl rand -hex 32 gives, the same for all servers`,
  )
}

/** The token that opens the operator's pages, and the file it is in, if any. */
export interface OperatorToken {
  readonly token: string
  readonly file: string | undefined
}

/**
 * Takes the token that is given, else that of `operator-token` in a folder, which is made by chance at the first start and
 * readable by its owner alone.
 *
 * @throws CliError `usage` for one that is too short, `file_unreadable`
 */
export function loadOperatorToken(given: string | undefined, folder: string): OperatorToken {
  if (given !== undefined) return { token: checkToken(given, 'PACK_OPERATOR_TOKEN'), file: undefined }
  const file = join(folder, 'operator-token')
  try {
    const known = readTokenFile(file) ?? createTokenFile(file, folder)
    return { token: checkToken(known, file), file }
  } catch (error) {
    if (error instanceof CliError) throw error
    const hint = 'set PACK_OPERATOR_TOKEN, or name a --data folder that this user may write to'
    throw new CliError('file_unreadable', `${file} can neither be read nor made`, hint, {
      file,
      cause: error,
    })
  }
}

function readTokenFile(file: string): string | undefined {
  try {
    const token = readFileSync(file, 'utf8').trim()
    chmodSync(file, 0o600)
    return token
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Another server may start at the same time: a link is made whole or not at all. */
function createTokenFile(file: string, folder: string): string {
  makeFolder(folder)
  const draft = `${file}.${randomBytes(8).toString('hex')}`
  writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return readFileSync(file, 'utf8').trim()
}

function checkToken(token: string, place: string): string {
  if (token.length >= MIN_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(token)) return token
  const hint = `use at least ${MIN_TOKEN_LENGTH} visible ASCII characters without spaces`
  throw new CliError(
    'usage',
    `the operator's token in ${place} is too short, or has spaces or other characters`,
    hint,
  )
}
