import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto'
import { createFairQueue } from '@packs/threads'
import { dictionary } from '@zxcvbn-ts/language-common'
import { WebError } from '../web-error.ts'

export const MIN_PASSWORD_LENGTH = 12
export const MAX_PASSWORD_LENGTH = 128

export interface Passwords {
  readonly hash: (password: string) => Promise<string>
  readonly verify: (attempt: { readonly hash: string; readonly password: string }) => Promise<boolean>
  /**
   * Processes a form with a password. Networks take turns with their digests.
   * @throws WebError `service_unavailable` if too many forms wait, of all networks or of this one
   */
  admit<Result>(network: string, answer: () => Promise<Result>): Promise<Result>
}

/** Parameters of digests: 128 MiB and about 0.4 s each. */
const COST = { N: 2 ** 17, r: 8, p: 1 }
const PREFIX = '$scrypt$ln=17,r=8,p=1$'
const KEY_BYTES = 64
/** Node has four threads for this work, which also compress and read files. */
const MAX_RUNNING = 2
/** Forms waiting or in progress, in total and per network, so that few networks cannot take all. */
const MAX_FORMS = 40
const MAX_FORMS_PER_NETWORK = 4
const RETRY_SECONDS = 5

/** Creates the password digests of a server, few at a time, because each takes much memory. */
export function createPasswords(): Passwords {
  const forms = createFairQueue({
    running: MAX_FORMS,
    slots: MAX_FORMS,
    slotsPerOwner: MAX_FORMS_PER_NETWORK,
  })
  const queue = createFairQueue({ running: MAX_RUNNING })
  // Better-auth does not pass anything about a form on to the digests.
  const networks = new AsyncLocalStorage<string>()

  const derive = (password: string, salt: string | Buffer, cost: ScryptOptions): Promise<Buffer> =>
    queue.run(networks.getStore() ?? '', () => deriveKey(password, salt, cost))

  const hash = async (password: string): Promise<string> => {
    const salt = randomBytes(16)
    const key = await derive(password, salt, COST)
    return `${PREFIX}${salt.toString('base64url')}$${key.toString('base64url')}`
  }

  return {
    hash,
    async verify({ hash: known, password }) {
      if (!known.startsWith(PREFIX)) {
        // Otherwise the time would reveal that an email has no digest.
        await hash(password)
        return false
      }
      const parts = known.slice(PREFIX.length).split('$')
      const [salt, key] = parts.map((part) => Buffer.from(part, 'base64url'))
      return equals(await derive(password, salt ?? '', COST), key ?? Buffer.alloc(0))
    },
    async admit(network, answer) {
      if (forms.hasSlot(network)) return forms.run(network, () => networks.run(network, answer))
      const message = 'Too many passwords are being checked right now'
      const hint = `Try again in ${RETRY_SECONDS} seconds.`
      throw new WebError('service_unavailable', message, hint, { retryAfter: RETRY_SECONDS })
    },
  }
}

function deriveKey(password: string, salt: string | Buffer, cost: ScryptOptions): Promise<Buffer> {
  const { N = 0, r = 0 } = cost
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  scrypt(password.normalize('NFKC'), salt, KEY_BYTES, { ...cost, maxmem: 256 * N * r }, (error, key) =>
    error === null ? resolve(key) : reject(error),
  )
  return promise
}

function equals(key: Buffer, known: Buffer): boolean {
  return key.length === known.length && timingSafeEqual(key, known)
}

const common = new Set(dictionary['passwords-common'])

/**
 * Whether a password is one that many people use: a common one, even repeated or between digits and
 * symbols, or one of few or consecutive characters.
 * @example
 * isCommonPassword('Password-2024!') // true
 */
export function isCommonPassword(password: string): boolean {
  const text = password.normalize('NFKC').toLowerCase()
  const characters = Array.from(text)
  const isRun = characters.every(
    (character, at) =>
      at === 0 || Math.abs(character.codePointAt(0)! - characters[at - 1]!.codePointAt(0)!) === 1,
  )
  if (isRun || new Set(characters).size < 5 || common.has(text)) return true
  const word = findUnit(/\p{L}(?:.*\p{L})?/su.exec(text)?.[0] ?? '')
  return word === '' || common.has(word) || common.has(findUnit(text))
}

/** Returns the unit that a text repeats, or all of it. */
function findUnit(text: string): string {
  const length = (text + text).indexOf(text, 1)
  return text.slice(0, length === -1 ? text.length : length)
}
