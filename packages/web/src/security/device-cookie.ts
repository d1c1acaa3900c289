import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** A user and the stored digest of the password, for which a device cookie is signed. */
export interface DeviceOwner {
  readonly userId: string
  readonly passwordHash: string
}

/**
 * Recognizes devices that have signed in to an account before, so that strangers who guess its
 * password do not slow them down.
 *
 * The cookie alone gives no access: it only gives the device its own delay. It is signed for one
 * user and password, so a new password or a reset makes all cookies of the account worthless.
 * @see https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies
 */
export interface DeviceCookies {
  /** Returns the name of the device if the cookie is valid for this user. */
  read(cookies: string | undefined, owner: DeviceOwner | undefined): string | undefined
  /** Returns a cookie to set, for a new device or one that was read. */
  create(owner: DeviceOwner, device?: string): string
}

const COOKIE = 'packs.device'
/** 16 bytes that name the device, and 32 bytes of signature. */
const PATTERN = /(?:^|; ?)packs\.device=([\w-]{22})\.([\w-]{43})(?:;|$)/
const LIFE_SECONDS = 365 * 24 * 60 * 60
/** Used for an unknown user, so that every email costs the same work. */
const NOBODY: DeviceOwner = { userId: '', passwordHash: '' }

export function createDeviceCookies(secret: Uint8Array, baseUrl: string): DeviceCookies {
  const rules = `Path=/settings; HttpOnly; SameSite=Lax${baseUrl.startsWith('https:') ? '; Secure' : ''}`
  const sign = (device: string, { userId, passwordHash }: DeviceOwner): Buffer =>
    createHmac('sha256', secret)
      .update(JSON.stringify(['device', userId, passwordHash, device]))
      .digest()
  return {
    read(cookies, owner) {
      const [, device = '', signature = ''] = PATTERN.exec(cookies ?? '') ?? []
      if (device === '') return undefined
      const isSigned = timingSafeEqual(Buffer.from(signature, 'base64url'), sign(device, owner ?? NOBODY))
      return isSigned && owner !== undefined ? device : undefined
    },
    create(owner, device = randomBytes(16).toString('base64url')) {
      const value = `${device}.${sign(device, owner).toString('base64url')}`
      return `${COOKIE}=${value}; Max-Age=${LIFE_SECONDS}; ${rules}`
    },
  }
}
