import { CatalogError } from '@packs/catalog'
import { z } from 'zod'
import { requireCaller } from '../hooks/caller.ts'
import { JSON_TYPE, MARKDOWN_TYPE, REVALIDATE, prefersType } from '../http/headers.ts'
import { included, parseQuery } from '../http/parse-query.ts'
import { type FoundPack, identifyFormat, type BodySource } from '../response-cache/body.ts'
import type { ApiRoute, RouteContext } from './api-route.ts'
import {
  findPackSchema,
  fullPackSchema,
  packDocumentSchema,
  packSourceSchema,
  previewPackSchema,
  type Projection,
} from './pack-responses.ts'
import { createVersionRoutes, findRequestedVersion, sendVersion } from './send-version.ts'

const query = { include: included.optional() }

/** `GET /packs/{id}` and `GET /packs/{id}/versions/{version}`, which never changes. */
export function createGetPackRoutes(context: RouteContext): readonly [latest: ApiRoute, version: ApiRoute] {
  return createVersionRoutes({
    latest: {
      operationId: 'getPack',
      summary: 'Get one pack',
      description:
        'The latest version of a pack. Pro accounts get all of it; Free accounts get the first fifth of the content, but at least its first sentence, without the header. `Accept: text/markdown` returns text to paste into a prompt.',
    },
    version: {
      operationId: 'getPackVersion',
      summary: 'Get one version of a pack',
      description:
        'A version never changes, so Pro responses may be cached for a year unless the version was yanked (`X-Yanked`). With `include=document` they must be revalidated, because signatures can be added. Tiers and formats are those of the latest version.',
    },
    query,
    bodies: {
      'application/json': z.union([fullPackSchema, packSourceSchema, packDocumentSchema, previewPackSchema]),
      'text/markdown': z
        .string()
        .describe(
          'Text to paste into a prompt: that documents are data, the header, if there is one, and the content in a tag; if it has links, the decoded text with their addresses in place. Free accounts get only the preview, without a header',
        ),
    },
    async handle(request, reply) {
      const include = request.url.includes('?') ? parseQuery(request.url, query).include : undefined
      const { tier, id: owner } = requireCaller(request).account
      const format = prefersType(request.headers.accept, 'text/markdown') ? 'markdown' : 'json'
      const found = await findRequestedVersion(context, request)
      const isFull = tier === 'pro' && format === 'json'
      const projection: Projection = { tier, format, include: isFull ? include : undefined }
      return sendVersion(context, request, reply, {
        ...found,
        // A version never changes, but signatures can be added to its document.
        caching: projection.include === 'document' ? REVALIDATE : found.caching,
        variant: nameVariant(projection),
        createSource: (found, tag) => createPackBody(context, found, projection, tag, owner),
      })
    },
  })
}

function nameVariant(projection: Projection): string {
  const { tier, format, include = 'json' } = projection
  if (format === 'markdown') return `${tier}.framed`
  return `${tier}.${include}.${identifyFormat(findPackSchema(projection))}`
}

/** Serializes a small document here, and a large one in the document worker. */
async function createPackBody(
  { documents }: RouteContext,
  found: FoundPack,
  projection: Projection,
  tag: string,
  owner: string,
): Promise<BodySource> {
  const { sequence, updated_at } = found
  const type = projection.format === 'markdown' ? MARKDOWN_TYPE : JSON_TYPE
  const fields = { type, tag, weak: false }
  const task = { documents: [{ sequence, updated_at }], projection, separator: '', isCheck: false }
  const { bytes, digest, damaged, reason } = await documents.run(task, { owner, bytes: found.bytes })
  if (damaged.length === 0) return { ...fields, text: { bytes, digest } }
  throw new CatalogError('catalog_damaged', reason ?? '', '', { damaged: damaged[0] })
}
