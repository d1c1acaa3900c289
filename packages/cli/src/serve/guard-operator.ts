import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

type Done = (error?: Error) => void

/**
 * Creates a hook that lets only the operator through: the token as bearer, or as password of HTTP Basic for browsers. These send
 * the password by themselves, so whatever changes something must come from a page of this origin.
 *
 * @param origin scheme, host and port that clients use
 */
export function guardOperator(
  token: string,
  origin: string,
): (request: FastifyRequest, reply: FastifyReply, done: Done) => void {
  const expected = digest(token)
  return (request, reply, done) => {
    reply.header('cache-control', 'no-store')
    const given = readToken(request.headers.authorization)
    if (given === undefined || !timingSafeEqual(digest(given), expected)) {
      reply
        .code(401)
        .header('www-authenticate', 'Basic realm="operator", charset="UTF-8"')
        .type('text/plain; charset=utf-8')
        .send("The operator's token is needed, as bearer or as the password.\n")
      return
    }
    const isSafe = request.method === 'GET' || request.method === 'HEAD'
    if (isSafe || request.headers.origin === origin) return done()
    reply
      .code(403)
      .type('text/plain; charset=utf-8')
      .send('Changes are made from pages of this origin alone.\n')
  }
}

function readToken(header: string | undefined): string | undefined {
  const [, scheme = '', value = ''] = /^(basic|bearer) +([^ ]+)$/i.exec(header ?? '') ?? []
  if (scheme.toLowerCase() !== 'basic') return value || undefined
  const text = Buffer.from(value, 'base64').toString()
  return text.slice(text.indexOf(':') + 1)
}

/** Digests are of one length, whatever was given. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
