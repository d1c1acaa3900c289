import type { FastifyInstance } from 'fastify'
import { problemCodes } from '../errors/problem-table.ts'
import { JSON_TYPE } from '../http/headers.ts'
import { chooseEncoding } from '../http/negotiate.ts'
import { createBody, type Body } from '../response-cache/body.ts'
import type { ApiRoute } from '../routes/api-route.ts'
import { createOpenApi } from './openapi.ts'
import { writeErrorPage, writeReferencePage, type PageLayout } from './pages.ts'

const CACHE_CONTROL = 'public, max-age=300'

/** Mounts `/openapi.json`, `/docs` and a page for each error code; they need no key. */
export async function mountDocs(
  app: FastifyInstance,
  routes: readonly ApiRoute[],
  layout: PageLayout,
): Promise<void> {
  const openApi = `${JSON.stringify(createOpenApi(routes), null, 2)}\n`
  mountText(app, '/openapi.json', openApi, { 'cache-control': CACHE_CONTROL, 'content-type': JSON_TYPE })
  const headers = {
    ...layout.headers,
    'cache-control': CACHE_CONTROL,
    'content-type': 'text/html; charset=utf-8',
  }
  mountText(app, '/docs', await writeReferencePage(routes, layout), headers)
  for (const code of problemCodes) {
    mountText(app, `/docs/errors/${code}`, await writeErrorPage(code, layout), headers)
  }
}

function mountText(
  app: FastifyInstance,
  url: string,
  text: string,
  headers: Readonly<Record<string, string>>,
): void {
  const body: Body = createBody({ text, type: headers['content-type'] ?? '', tag: 'static', weak: false })
  app.route({
    method: ['GET', 'HEAD'],
    url,
    handler: async (request, reply) => {
      const { bytes, encoding } = await body.encode(chooseEncoding(request.headers['accept-encoding']))
      reply.headers({ ...headers, vary: 'Accept-Encoding' })
      if (encoding !== 'identity') reply.header('content-encoding', encoding)
      return reply.send(bytes)
    },
  })
}
