import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { renderPage, type AssetPaths, type Page, type Viewer } from './page.ts'

/** Finds the viewer of a request, and sends pages. */
export interface PageSender {
  /** Finds the viewer of a request. Sets the cookie of a renewed session on the reply. */
  findViewer(request: FastifyRequest, reply: FastifyReply): Promise<Viewer>
  /** Sends a page. Unless the reply has another `cache-control`, caches must revalidate the page. */
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

/** Adds a route for GET and HEAD. */
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

/** Parses the query of a URL. A repeated field becomes a list. */
export function readQuery(url: string): Readonly<Record<string, string | readonly string[]>> {
  const start = url.indexOf('?')
  const query = new URLSearchParams(start < 0 ? '' : url.slice(start))
  const fields = [...new Set(query.keys())].map((name) => {
    const values = query.getAll(name)
    return [name, values.length === 1 ? (values[0] ?? '') : values] as const
  })
  return Object.fromEntries(fields)
}

/** Returns a strong tag of what is sent. */
export function createTag(content: string | Uint8Array): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 32)}"`
}

/** Whether the client has the response with this tag already. */
export function isKnownTag({ headers }: FastifyRequest, etag: string): boolean {
  const known = headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return known?.includes(etag) ?? false
}
