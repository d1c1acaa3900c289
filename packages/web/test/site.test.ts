import { describe, expect, it } from 'vitest'
import { startCatalogServer } from '../../test-kit/test/start-server.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

const server = await startCatalogServer([])

const ask = (path: string, accept = BROWSER, cookie = ''): Promise<Response> =>
  fetch(`${server.url}${path}`, { headers: { accept, cookie } })

describe('an unknown path', () => {
  it.each(['/nothing', '/docs/nothing', '/docs/errors/nothing', '/browsing', '/%E0%A4%A', '/apis/v1'])(
    'shows browsers an error page with links: %s',
    async (path) => {
      const answer = await ask(path)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
      expect(answer.headers.get('vary')).toContain('Accept')
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
      const page = await answer.text()
      expect(page).toContain('<h1>There is no such page</h1>')
      expect(page).toMatch(/<main.*Check the URL.*href="\/browse".*href="\/docs".*<\/main>/s)
    },
  )

  it.each([
    ['/nothing', '*/*'],
    ['/nothing', 'application/json'],
    ['/nothing', 'text/html;q=0.1, application/json'],
    ['/api', BROWSER],
    ['/api/v2/packs', BROWSER],
    ['/%61pi/nothing', BROWSER],
    ['//API/nothing', BROWSER],
    ['/api/%2e%2e/api', BROWSER],
  ])('sends programs a problem document: %s as %s', async (path, accept) => {
    const answer = await ask(path, accept)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      404,
      'application/problem+json; charset=utf-8',
    ])
    expect(await answer.json()).toMatchObject({ code: 'not_found' })
  })
})

describe('the documentation', () => {
  it.each(['/docs', '/docs/errors/quota_exceeded'])('has the layout of the other pages: %s', async (path) => {
    const page = await (await ask(path)).text()
    const [, navigation] = /<nav aria-label="Site">(.*?)<\/nav>/s.exec(page) ?? []
    expect([...navigation!.matchAll(/href="([^"]+)"/g)].map(([, to]) => to)).toEqual(
      '/browse /prompt /try /docs /settings'.split(' '),
    )
    expect(navigation).toMatch(/<a href="\/docs" aria-current="page">/)
    expect(page.match(/<main/g)).toHaveLength(1)
  })

  it.each(['/docs', '/nothing'])(
    'names the settings as they are for a visitor and a session: %s',
    async (path) => {
      for (const name of ['Sign in', 'Settings']) {
        const answer = await ask(path, BROWSER, name === 'Settings' ? 'packs.session_token=ended' : '')
        expect(answer.headers.get('vary')).toContain('Cookie')
        expect(await answer.text()).toMatch(new RegExp(`<a href="/settings"\\s*>${name}</a>`))
      }
    },
  )

  it.each(['/', '/browse'])('is linked from %s', async (path) => {
    expect(await (await ask(path)).text()).toMatch(/<a href="\/docs"\s*>/)
  })
})
