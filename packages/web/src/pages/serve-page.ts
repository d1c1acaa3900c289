import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { renderPage, type AssetPaths, type Page, type Viewer } from './page.ts'

/** Finds out who looks, and sends pages. */
export interface PageSender {
  /** The viewer of a request; a session that was prolonged sets its cookie on the reply. */
  findViewer(request: FastifyRequest, reply: FastifyReply): Promise<Viewer>
  /** Sends a page, which is kept by nobody without asking again. */
  send(reply: FastifyReply, page: Page): Promise<FastifyReply>
}

export function createPageSender(assets: AssetPaths, findViewer: PageSender['findViewer']): PageSender {
  return {
    findViewer,
    async send(reply, page) {
      const text = renderPage(page, assets)
      if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'private, no-cache')
      return reply.type('text/html; charset=utf-8').send(text)
    },
  }
}

/** Mounts a page at a path, for those too who ask for its headers alone. */
export function addPage<Params = unknown>(
  app: FastifyInstance,
  url: string,
  handler: (
    request: FastifyRequest<{ Params: Params }>,
    reply: FastifyReply,
  ) => Promise<FastifyReply> | FastifyReply,
): void {
  app.route<{ Params: Params }>({ method: ['GET', 'HEAD'], url, handler })
}

/** The fields of an address's query; one that is there several times is a list. */
export function readQuery(url: string): Readonly<Record<string, string | readonly string[]>> {
  const start = url.indexOf('?')
  const query = new URLSearchParams(start < 0 ? '' : url.slice(start))
  const fields = [...new Set(query.keys())].map((name) => {
    const values = query.getAll(name)
    return [name, values.length === 1 ? (values[0] ?? '') : values] as const
  })
  return Object.fromEntries(fields)
}
