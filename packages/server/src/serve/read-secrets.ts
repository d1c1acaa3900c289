import { hkdfSync, randomBytes } from 'node:crypto'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import type { SettingStore } from '@packs/catalog'
import { createPrivately, makeFolder, readRegularFile } from '@packs/files'
import { CommandError } from '../command-error.ts'
import { readSecret } from '../services/environment.ts'
import type { ServiceUrls } from '../services/open-services.ts'

const MIN_SECRET_LENGTH = 32
const MIN_TOKEN_LENGTH = 16
const MAX_TOKEN_FILE = 65_536
/** What the secret signs. */
const PURPOSES = ['cursor', 'sign-in']

/**
 * Returns the secret that signs cursors and sign-ins, which is never in the database: with a copy
 * of it alone nobody is signed in. It is `PACK_SECRET`, or in the file `PACK_SECRET_FILE`; else,
 * with an embedded catalog, in the file `secret` of the folder, which the first start creates.
 */
export function loadSecret({ file: catalog }: Pick<ServiceUrls, 'file'>, folder: string): string {
  const given = readSecret('PACK_SECRET')
  if (given !== undefined) return checkSecret(given, 'PACK_SECRET')
  if (catalog !== undefined) {
    const file = join(folder, 'secret')
    return checkSecret(loadFile(file, folder, 'PACK_SECRET'), file)
  }
  const hint = 'set it, or PACK_SECRET_FILE, to what `openssl rand -hex 32` prints, the same on all servers'
  throw new CommandError('usage', 'PACK_SECRET is not set, which a server with DATABASE_URL needs', hint)
}

/** Returns settings whose secrets are derived from one that is not in the database. */
export function deriveSecrets(settings: SettingStore, secret: string): SettingStore {
  return {
    ...settings,
    async secret(name) {
      if (!PURPOSES.includes(name)) return settings.secret(name)
      return new Uint8Array(hkdfSync('sha256', secret, '', `packs ${name}`, 32))
    },
  }
}

function checkSecret(text: string, origin: string): string {
  if (text.length >= MIN_SECRET_LENGTH && /^[\x21-\x7e]+$/.test(text)) return text
  const problem = `the secret in ${origin} is too short or contains spaces or other invalid characters`
  const hint = `use at least ${MIN_SECRET_LENGTH} random visible ASCII characters, for example from openssl rand -hex 32, and the same secret on all servers`
  throw new CommandError('usage', problem, hint)
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
export function loadOperatorToken(folder: string): OperatorToken {
  const configured = readSecret('PACK_OPERATOR_TOKEN')
  if (configured !== undefined)
    return { token: checkToken(configured, 'PACK_OPERATOR_TOKEN'), file: undefined }
  const file = join(folder, 'operator-token')
  return { token: checkToken(loadFile(file, folder, 'PACK_OPERATOR_TOKEN'), file), file }
}

/** Reads a random text from a file of the folder, or creates it. */
function loadFile(file: string, folder: string, variable: string): string {
  try {
    return readTokenFile(file) ?? createTokenFile(file, folder)
  } catch (error) {
    const details = { file, cause: error }
    const code = String((error as NodeJS.ErrnoException).code)
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      const problem = `${file} cannot be created: the disk is full`
      throw new CommandError('file_unreadable', problem, 'free some space, and start again', details)
    }
    if (['ENOTDIR', 'EEXIST'].includes(code)) {
      const problem = `${folder} cannot be the data folder, because it or a folder above it is a file`
      const hint = 'set --data to a folder, which is created if it does not exist'
      throw new CommandError('file_unreadable', problem, hint, details)
    }
    const hint = `set ${variable}, or set --data to a folder that you can write to`
    throw new CommandError('file_unreadable', `${file} can be neither read nor created`, hint, details)
  }
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
