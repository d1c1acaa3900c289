import type { FastifyReply } from 'fastify'
import { parseEmail } from './form-fields.ts'

/** Messages for the page after a form. */
const texts = {
  'signed-up':
    'You can sign in now. If that fails, this email already has an account with another password, or the operator created one and has a code for you.',
  'code-mailed':
    'If this email has an account, a mail with a code is on its way. The code is valid for an hour. You can get at most three mails an hour.',
  'verification-mailed':
    'A mail with a link is on its way. The link is valid for 24 hours. You can get at most three mails an hour.',
  'address-verified': 'Your email is verified.',
  'account-opened':
    'Your new password is set, and all other sessions were ended. Check your keys, and revoke any that you do not recognize.',
  'signed-out': 'You are signed out.',
  'session-ended': 'Your session has ended. Sign in to continue.',
  'password-changed': 'Your password was changed, and all other sessions were ended.',
  'sessions-ended': 'All other sessions were ended.',
  'key-revoked': 'The key was revoked. It no longer works.',
  'key-restored': 'The key works again.',
} as const

export type FlashMessageName = keyof typeof texts

/**
 * Passes a message to the next page in a cookie, so that no link of another site can show it.
 * Anybody who can set cookies for this host can choose one of these messages and an email for the
 * form. Nothing else in a cookie is shown.
 */
export interface FlashMessages {
  /** @param email prefilled in the forms of the next page, after a sign-up */
  set(reply: FastifyReply, name: FlashMessageName, email?: string): FastifyReply
  /** Returns the message of the request and deletes its cookie. */
  consume(reply: FastifyReply): { readonly notice: string | undefined; readonly email: string }
}

const COOKIE = 'packs.notice'
const LIFE_SECONDS = 60

export function createFlashMessages(baseUrl: string): FlashMessages {
  const rules = `Path=/settings; HttpOnly; SameSite=Lax${baseUrl.startsWith('https:') ? '; Secure' : ''}`
  return {
    set(reply, name, email = '') {
      const value = encodeURIComponent(`${name} ${email}`)
      return reply.header('set-cookie', `${COOKIE}=${value}; Max-Age=${LIFE_SECONDS}; ${rules}`)
    },
    consume(reply) {
      const value = findCookie(reply.request.headers.cookie ?? '')
      if (value === undefined) return { notice: undefined, email: '' }
      reply.header('set-cookie', `${COOKIE}=; Max-Age=0; ${rules}`)
      const [name = '', email = ''] = value.split(' ')
      return {
        notice: Object.hasOwn(texts, name) ? texts[name as FlashMessageName] : undefined,
        email: (name === 'signed-up' && parseEmail(email)) || '',
      }
    },
  }
}

function findCookie(header: string): string | undefined {
  const pair = header.split('; ').find((text) => text.startsWith(`${COOKIE}=`))
  try {
    return pair && decodeURIComponent(pair.slice(COOKIE.length + 1))
  } catch {
    return undefined
  }
}
