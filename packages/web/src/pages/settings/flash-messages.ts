import type { FastifyReply } from 'fastify'

/** Messages for the page after a form. */
const texts = {
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
 * Anybody who can set cookies for this host can choose one of these messages. Nothing else in a
 * cookie is shown.
 */
export interface FlashMessages {
  set(reply: FastifyReply, name: FlashMessageName): FastifyReply
  /** Returns the message of the request and deletes its cookie. */
  consume(reply: FastifyReply): string | undefined
}

const COOKIE = 'packs.notice'
const LIFE_SECONDS = 60

export function createFlashMessages(baseUrl: string): FlashMessages {
  const rules = `Path=/settings; HttpOnly; SameSite=Lax${baseUrl.startsWith('https:') ? '; Secure' : ''}`
  return {
    set: (reply, name) => reply.header('set-cookie', `${COOKIE}=${name}; Max-Age=${LIFE_SECONDS}; ${rules}`),
    consume(reply) {
      const [, name] = /(?:^|; )packs\.notice=([^;]*)/.exec(reply.request.headers.cookie ?? '') ?? []
      if (name === undefined) return undefined
      reply.header('set-cookie', `${COOKIE}=; Max-Age=0; ${rules}`)
      return Object.hasOwn(texts, name) ? texts[name as FlashMessageName] : undefined
    },
  }
}
