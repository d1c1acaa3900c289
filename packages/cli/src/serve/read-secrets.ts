import { createHash } from 'node:crypto'
import type { SettingStore } from '@packs/catalog'
import { CliError } from '../cli-error.ts'

const SHORTEST = 32
const VARIABLES: ReadonlyMap<string, string> = new Map([
  ['cursor', 'PACK_CURSOR_SECRET'],
  ['sign-in', 'PACK_SIGN_IN_SECRET'],
])

/** What the environment says of secrets, by the name that the catalog has for each. */
export type GivenSecrets = ReadonlyMap<string, Uint8Array>

/** Reads the secrets that stand in the place of the catalog's own. @throws CliError `usage` for one that is too short */
export function readSecrets(environment: Readonly<Record<string, string | undefined>>): GivenSecrets {
  const secrets = new Map<string, Uint8Array>()
  for (const [name, variable] of VARIABLES) {
    const text = environment[variable]
    if (text) secrets.set(name, digestSecret(text, variable))
  }
  return secrets
}

/** Settings whose secrets are those that were given, as far as they were; the others are the catalog's. */
export function overrideSecrets(settings: SettingStore, given: GivenSecrets): SettingStore {
  return {
    ...settings,
    async secret(name) {
      return given.get(name) ?? settings.secret(name)
    },
  }
}

function digestSecret(text: string, variable: string): Uint8Array {
  if (text.length >= SHORTEST && /^[\x21-\x7e]+$/.test(text))
    return createHash('sha256').update(text).digest()
  throw new CliError(
    'usage',
    `the secret in ${variable} is too short, or has spaces or other characters`,
    `use at least ${SHORTEST} visible ASCII characters made by chance, as openssl rand -hex 32 gives, the same for all servers`,
  )
}
