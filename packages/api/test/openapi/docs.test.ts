import { readFileSync } from 'node:fs'
import type { Mode } from '@packs/catalog'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { problemCodes } from '../../src/errors/problem-table.ts'
import { startApi } from '../../../test-kit/test/start-api.ts'

type Content = Record<string, { schema: object; example?: unknown }>

const api = await startApi()

describe('openapi.json', () => {
  it('has exactly the paths of the router', async () => {
    const described = Object.keys((await api.request('/openapi.json')).json.paths as object)
    // prettier-ignore
    const routed = [
      'context', 'packs', 'packs/download', 'packs/{id}', 'packs/{id}/sections',
      'packs/{id}/sections/{section}', 'packs/{id}/versions', 'packs/{id}/versions/{version}',
      'packs/{id}/versions/{version}/sections', 'packs/{id}/versions/{version}/sections/{section}', 'search',
      'usage',
    ]
    expect(described.toSorted()).toEqual(
      [
        ...routed.map((path) => `/api/v1/${path}`),
        '/api/purged',
        '/api/status',
        '/.well-known/packs-keys.json',
      ].toSorted(),
    )
    const names = listRoutes(api.app.printRoutes({ commonPrefix: false })).filter((path) =>
      /^\/(?:api|\.well-known)\//.test(path),
    )
    expect(names.map((path) => path.replace(/:(\w+)/g, '{$1}')).toSorted()).toEqual(described.toSorted())
  })

  it('is an OpenAPI document of version 3.1', async () => {
    const { text } = await api.request('/openapi.json')
    const validator = new Validator()
    expect(await validator.validate(text)).toEqual({ valid: true })
    expect(validator.version).toBe('3.1')
    // That of /publish/v1 is the server's.
    const other = readFileSync(new URL('../../../server/publish.openapi.json', import.meta.url), 'utf8')
    expect(await validator.validate(other)).toEqual({ valid: true })
  })

  it('refers to shared responses for 405, 408, 417 and 431, and describes 404 for unknown paths', async () => {
    const { json } = await api.request('/openapi.json')
    const { paths, components } = json as unknown as {
      paths: Record<string, Record<string, { responses: Record<string, { $ref?: string }> }>>
      components: { responses: Record<string, { description: string }> }
    }
    expect(paths['/api/v1/context']!['get']!.responses[503]?.$ref).toBe('#/components/responses/Unavailable')
    expect(components.responses['Unavailable']?.description).toContain('`search_busy`')
    for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
      const refer = (status: number): unknown => operation.responses[status]?.$ref
      expect([405, 408, 417, 431].map((status) => refer(status))).toEqual(
        ['MethodNotAllowed', 'RequestTimeout', 'ExpectationFailed', 'HeadersTooLarge'].map(
          (name) => `#/components/responses/${name}`,
        ),
      )
    }
    expect(components.responses['NotFound']?.description).toBe('`not_found`: The path does not exist')
  })

  it('has an example of the answer of each path, which its schema accepts', async () => {
    const { json } = await api.request('/openapi.json')
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    formats.default(ajv)
    const { paths } = json as unknown as {
      paths: Record<string, Record<string, { responses: Record<string, { content: Content }> }>>
    }
    const media = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations['get']!.responses[200]!.content).map((entry) => [path, ...entry] as const),
    )
    const missing = media.filter(([, type, { example }]) => example === undefined && !type.endsWith('ndjson'))
    expect(missing.map(([path, type]) => `${path} ${type}`)).toEqual([])
    const wrong = media.flatMap(([path, type, { schema, example }]) => {
      const isValid = example === undefined || ajv.validate(schema, example)
      return isValid ? [] : [`${path} ${type}: ${ajv.errorsText()}`]
    })
    expect(wrong).toEqual([])
  })

  it('describes parameters as they are validated', async () => {
    const { json } = await api.request('/openapi.json')
    const { paths } = json as unknown as {
      paths: Record<string, { get: { parameters: { name: string; required: boolean; schema: object }[] } }>
    }
    const { parameters } = paths['/api/v1/packs']!.get
    // prettier-ignore
    expect(parameters.map(({ name }) => name)).toEqual([
      'domain', 'search', 'difficulty', 'max_tokens', 'page', 'cursor', 'limit',
    ])
    expect(parameters.at(-1)?.schema).toMatchObject({
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 20,
    })
    const required = paths['/api/v1/search']!.get.parameters.filter((parameter) => parameter.required)
    expect(required.map(({ name }) => name)).toEqual(['q'])
  })
})

describe('/docs', () => {
  it('has every path and every code, and loads no resources', async () => {
    const { text, headers } = await api.request('/docs')
    for (const path of ['/packs', '/packs/download', '/packs/{id}', '/usage'])
      expect(text.replaceAll('<wbr>', '')).toContain(`/api/v1${path}<`)
    for (const code of problemCodes) expect(text).toContain(`href="/docs/errors/${code}"`)
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; base-uri 'none'/)
    expect(text).not.toMatch(/https?:\/\/|<script|<img/)
  })

  it('links to its sections, each of which exists once', async () => {
    const { text } = await api.request('/docs')
    const [, contents] = /<nav class="contents" aria-label="On this page">(.*?)<\/nav>/s.exec(text) ?? []
    const links = [...contents!.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
    // prettier-ignore
    expect(links).toEqual([
      'start', 'packs', 'tiers', 'get-packs', 'get-search', 'get-context', 'get-packs-download',
      'get-packs-id', 'get-packs-id-versions', 'get-packs-id-versions-version', 'get-packs-id-sections',
      'get-packs-id-versions-version-sections', 'get-packs-id-sections-section',
      'get-packs-id-versions-version-sections-section', 'get-usage', 'open', 'errors',
    ])
    expect([...text.matchAll(/<section id="([^"]+)"/g)].map(([, id]) => id)).toEqual(links)
  })

  it.each(problemCodes)('explains %s', async (code) => {
    const { status, text } = await api.request(`/docs/errors/${code}`)
    expect(status).toBe(200)
    expect(text.replaceAll('<wbr>', '')).toContain(`<h1><code>${code}</code></h1>`)
    expect(text).toContain(`code&#34;: &#34;${code}&#34;`)
  })

  it('uses the layout of the website if there is one', async () => {
    const site = {
      headers: { 'content-security-policy': "style-src 'self'" },
      hasSession: () => false,
      write: (title: string, body: string) => `<title>${title}</title><nav></nav>${body}`,
      refusePath: () => Promise.reject(new Error('not called in this test')),
    }
    const framed = await startApi({ site })
    for (const path of ['/docs', '/docs/errors/not_found']) {
      const { text, headers } = await framed.request(path)
      expect(text).toMatch(/^<title>.+<\/title><nav><\/nav><div class="docs/)
      expect(headers['content-security-policy']).toBe("style-src 'self'")
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
    }
  })

  it('tells about recovery as soon as the catalog is in it', async () => {
    const site = {
      headers: {},
      hasSession: () => false,
      write: (_title: string, body: string, { mode }: Mode) => `<p>${mode}</p>${body}`,
      refusePath: () => Promise.reject(new Error('not called in this test')),
    }
    const framed = await startApi({ site })
    for (const mode of ['online', 'recovery', 'online'] as const) {
      framed.setMode(mode)
      for (const path of ['/docs', '/docs/errors/not_found']) {
        const { text, headers } = await framed.request(path)
        expect(text).toContain(`<p>${mode}</p>`)
        expect(headers['cache-control']).toBe('public, max-age=0, s-maxage=60')
      }
    }
    api.setMode('recovery')
    expect((await api.request('/docs')).text).toContain('Recovery mode')
    api.setMode('online')
    expect((await api.request('/docs')).text).not.toContain('Recovery mode')
  })

  it('calls the server by its origin, which openapi.json names', async () => {
    const named = await startApi({ origin: 'https://packs.example' })
    const headers = { host: 'packs.example' }
    const { text } = await named.request('/docs', { headers })
    expect(text).toContain('&#34;https://packs.example/api/v1/packs&#34;')
    expect(text).toContain('packs https://packs.example/mcp \\\n  --header')
    expect(text).not.toContain('$BASE_URL')
    const { json } = await named.request('/openapi.json', { headers })
    expect(json.servers).toEqual([{ url: 'https://packs.example' }])
    expect((await api.request('/openapi.json')).json.servers).toEqual([{ url: '/' }])
  })

  it('shows how to call each path with packs of the catalog, and the answer', async () => {
    const sample = {
      packs: 2,
      median: 0.1,
      best: 0.2,
      slugs: ['kites', 'tea'],
      version: '1.2.0',
      section: 'tails',
      isOpen: false,
      question: 'Kites & tails',
      ask: 'curl ask',
      code: "await docs.context('Kites & tails')",
    }
    const site = {
      headers: {},
      hasSession: () => false,
      write: (_title: string, body: string) => body,
      readSample: () => Promise.resolve(sample),
      refusePath: () => Promise.reject(new Error('not called in this test')),
    }
    const { text } = await (await startApi({ site })).request('/docs')
    const [, ...sections] = text.split(/<section id="(?=get-)/)
    expect(sections).toHaveLength(12)
    const calls = sections.map(
      (section) => /data-copy>curl[^"]+"[^"]+" [^"]+"\$BASE_URL(.+)"</.exec(section)?.[1],
    )
    // prettier-ignore
    expect(calls.map((call) => call?.replace('/api/v1', ''))).toEqual([
      '/packs?limit=1', '/search?q=Kites+%26+tails&#38;limit=1', '/context?q=Kites+%26+tails&#38;budget=1000',
      '/packs/download', '/packs/kites', '/packs/kites/versions', '/packs/kites/versions/1.2.0',
      '/packs/kites/sections?limit=1', '/packs/kites/versions/1.2.0/sections?limit=1',
      '/packs/kites/sections/tails', '/packs/kites/versions/1.2.0/sections/tails', '/usage',
    ])
    const locked = sections.filter((section) => section.includes('needs a <b>Pro</b> key'))
    expect(locked.map((section) => section.split('"', 1)[0])).toEqual([
      'get-packs-download',
      'get-packs-id-sections-section',
      'get-packs-id-versions-version-sections-section',
    ])
    expect(sections.filter((section) => section.includes('class="answer"'))).toHaveLength(9)
    expect(text).toContain('pack=kites&amp;pack=tea')
    expect(text).toContain('docs.context(&#39;Kites &#38; tails&#39;)')
  })
})

/** Parses Fastify's printed tree of routes: four columns per level, with methods after a route. */
function listRoutes(tree: string): string[] {
  const parents: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', part = '', methods] = /^((?:│ {3}| {4})*)[├└]── (\S+)( \(.*)?$/.exec(line) ?? []
    if (part === '') return []
    const depth = indent.length / 4
    parents[depth] = `${depth === 0 ? '' : parents[depth - 1]}${part}`
    return methods === undefined ? [] : [parents[depth]]
  })
}
