import type { FastifyReply, FastifyRequest } from 'fastify'
import { parseEmail } from './parse-form.ts'

/** What a page says after a form was taken. */
const texts = {
  'signed-up':
    'You can sign in now. If that fails, the address has an account with another password, or an operator made it and gave out a claim code.',
  'signed-out': 'You are signed out.',
  'session-ended': 'Your session has ended. Sign in to go on.',
  'password-changed': 'The password is changed, and every other session is ended.',
  'sessions-ended': 'Every other session is ended.',
  'key-revoked': 'The key is revoked: it opens nothing any more.',
} as const

export type FlashMessageName = keyof typeof texts

/**
 * Hands what the next page says over in a cookie: a link of somebody else's can make no page say it.
 *
 * Who can set cookies for this host can choose among these texts, and an address for the form; nothing else of a cookie is shown.
 */
export interface FlashMessages {
  /** @param email the address that the next page's forms begin with, after a sign-up */
  set(reply: FastifyReply, name: FlashMessageName, email?: string): FastifyReply
  /** What was left, which is gone then. */
  consume(
    request: FastifyRequest,
    reply: FastifyReply,
  ): { readonly notice: string | undefined; readonly email: string }
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
    consume(request, reply) {
      const value = findCookie(request.headers.cookie ?? '')
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
