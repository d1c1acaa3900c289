import type { FastifyInstance } from 'fastify'
import type { WebPorts } from '../../ports.ts'
import { addPage, createTag, isKnownTag } from '../serve-page.ts'

interface CatalogFile {
  readonly sequence: number
  readonly text: string
  readonly etag: string
}

/**
 * Adds a file that is the same for every visitor. It is written again only after the catalog has
 * changed.
 *
 * @param write throws for a path that has no file
 */
export function addCatalogFile(
  app: FastifyInstance,
  { path, type }: { readonly path: string; readonly type: string },
  { catalog }: Pick<WebPorts, 'catalog'>,
  write: (url: string) => Promise<string>,
): void {
  // One file: a sitemap of 50,000 URLs has several megabytes.
  let latest: { readonly url: string; readonly file: Promise<CatalogFile> } | undefined

  const readFile = async (url: string): Promise<CatalogFile> => {
    const sequence = await catalog.sequence()
    const known = latest?.url === url ? await latest.file.catch(() => undefined) : undefined
    if (known?.sequence === sequence) return known
    const file = write(url).then((text) => ({ sequence, text, etag: createTag(text) }))
    latest = { url, file }
    return file
  }

  addPage(app, path, async (request, reply) => {
    const { text, etag } = await readFile(request.url.split('?', 1)[0]!)
    // Unlike the pages, this is the same for every visitor.
    reply.removeHeader('vary').headers({ etag, 'cache-control': 'public, no-cache' })
    if (isKnownTag(request, etag)) return reply.code(304).send()
    return reply.type(type).send(text)
  })
}
