import type { FastifyReply, FastifyRequest } from 'fastify'
import { renderPage, type Look, type Page, type Viewer } from './page.ts'

/** Finds out who looks, and sends pages. */
export interface PageSender {
  /** The viewer of a request; a session that was prolonged sets its cookie on the reply. */
  findViewer(request: FastifyRequest, reply: FastifyReply): Promise<Viewer>
  /** Sends a page, which is kept by nobody without asking again. */
  send(reply: FastifyReply, page: Page): Promise<FastifyReply>
}

export function createPageSender(look: Look, findViewer: PageSender['findViewer']): PageSender {
  return {
    findViewer,
    async send(reply, page) {
      const text = renderPage(page, look)
      if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'private, no-cache')
      return reply.type('text/html; charset=utf-8').send(text)
    },
  }
}
