import { readFileSync } from 'node:fs'
import { source as axe } from 'axe-core'
import { loadTokenizer } from '@packs/codec/compress'
import { type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openBrowser } from '../../../test-kit/test/open-browser.ts'
import { makePack } from '../make-pack.ts'
import { startCatalogServer } from '../../../test-kit/test/start-server.ts'
import { actor } from '../../../test-kit/test/make-version.ts'

const TEXT = `# TLS basics

Logs of CT are public: see [the web](https://example.org/) and [below](#a-table).

## A table

| A term that is long enough to make this table wide | Meaning of the term | Another column | And one more |
| --- | --- | ---: | --- |
| CT | a log of certificates | 1,000 | yes |

\`\`\`js
const line = 'a line of code that is wider than a narrow screen could ever show without a scroll bar'
\`\`\`

> A quotation with \`code\`.

- [x] done
`
const RUN = `document.title = 'owned'; fetch('https://evil.example/')`
const HOSTILE = [
  `<script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `<svg onload="${RUN}"><a xlink:href="javascript:${RUN}">x</a></svg>`,
  `[link](javascript:${encodeURIComponent(RUN)}) [data](data:text/html,<script>${RUN}</script>)`,
  '![image](https://evil.example/pixel.png) ![other](//evil.example/pixel.png)',
  '<form id="main" name="body" action="https://evil.example/"><input name=cookie autofocus></form>',
  '<style>body { display: none }</style><meta http-equiv=refresh content="0;url=https://evil.example/">',
  '<iframe srcdoc="<script>parent.document.title=1</script>"></iframe> </div></main> \u202Egnp.exe',
  'zz',
]
/** Headings that are hard to show: named like ids of the page, long, nested, repeated, hostile, in other scripts. */
const HEADINGS = [
  '# main',
  '## text {#cost}',
  '## versions',
  `### ${'Long words of a heading '.repeat(12)}`,
  `#### ${'w'.repeat(300)}`,
  '## 依存関係の追跡',
  '## Same',
  '## Same',
  `## "><img src=x onerror="${RUN}"> {#header}`,
  '###### Deep `code` and *more*',
  ...Array.from({ length: 8 }, (_, at) => `## Chapter ${at}`),
]
const HANDBOOK = `Before.\n\n${HEADINGS.map((heading) => `${heading}\n\n${'Words of a section.\n\n'.repeat(9)}`).join('')}`
const LONG = HANDBOOK.repeat(12)
const packs = [
  makePack({
    slug: 'handbook',
    domain: 'Handbooks',
    domain_slug: 'handbooks',
    content: `${HANDBOOK}## Beyond\n\nMore.\n`,
    preview_content: HANDBOOK,
  }),
  makePack({
    slug: 'tls-basics',
    title: 'TLS basics',
    description: 'How browsers and servers agree on keys, and who can read along.',
    tags: ['network', 'keys', '暗号'],
    content: TEXT,
    preview_content: TEXT,
    rosetta: '[DECODE] CT=certificate transparency',
  }),
  makePack({ slug: 'long', content: LONG, preview_content: LONG }),
  makePack({
    slug: 'hostile',
    title: `</title><script>${RUN}</script>`,
    domain: `"><img src=x onerror="${RUN}">`,
    domain_slug: 'hostile',
    description: `"><script>${RUN}</script><meta http-equiv=refresh content="0;url=https://evil.example/">`,
    tags: [`<img src=x onerror="${RUN}">`],
    content: HOSTILE.join('\n\n'),
    preview_content: HOSTILE.join('\n\n'),
    rosetta: `[DECODE] zz=<script>${RUN}</script>`,
  }),
  ...[`${'> '.repeat(3000)}${'['.repeat(5000)}`, `${'- '.repeat(500)}${'w'.repeat(5000)}`].map(
    (text, number) =>
      makePack({
        slug: `wide-${number}`,
        domain: 'D'.repeat(90),
        domain_slug: 'wide',
        description: 'd'.repeat(1000),
        tags: Array.from({ length: 100 }, (_, at) => `${at}`.padEnd(100, 't')),
        rosetta: '[DECODE] CT=certificate transparency',
        content: text,
        preview_content: text,
      }),
  ),
]

/** Background of the pages, the same as in the build report. */
const PAPER = { light: 'rgb(251, 250, 247)', dark: 'rgb(22, 22, 20)' }

let visitors = 0

type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>

const server = await startCatalogServer(packs)
const browser = await openBrowser()

/** Opens a page with its own client address. Errors in the page, and requests to other sites, fail the test. */
async function open(options: BrowserContextOptions = {}): Promise<Page> {
  const { page, faults } = await openWatched(options)
  onTestFinished(async () => {
    await page.context().close()
    expect(faults).toEqual([])
  })
  return page
}

async function openWatched(options: BrowserContextOptions): Promise<{ page: Page; faults: string[] }> {
  const extraHTTPHeaders = { 'x-forwarded-for': `10.0.0.${++visitors}` }
  const context = await browser.newContext({ baseURL: server.url, extraHTTPHeaders, ...options })
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', (message) => {
    const isStatus = message.text().startsWith('Failed to load resource: the server responded with')
    if (message.type() === 'error' && !isStatus) faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('request', (request) => {
    if (!request.url().startsWith(`${server.url}/`)) faults.push(request.url())
  })
  return { page, faults }
}

/** Finds serious accessibility violations of all rules, or only of those that depend on colours. */
async function findViolations(page: Page, rules: 'all' | 'colours' = 'all'): Promise<string[]> {
  if (await page.evaluate<boolean>('typeof axe === "undefined"')) await page.evaluate(axe)
  const only = rules === 'all' ? '' : 'runOnly: ["color-contrast", "link-in-text-block"],'
  const result = await page.evaluate<{
    violations: { id: string; impact: string; nodes: { html: string }[] }[]
  }>(`axe.run(document, { ${only} resultTypes: ["violations"] })`)
  return result.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/** Expects no violation, and the paper of the scheme, in both colour schemes. */
async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(PAPER[colorScheme])
    expect(await findViolations(page, colorScheme === 'light' ? 'all' : 'colours')).toEqual([])
  }
}

const measureOverflow = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/** Signs up through the form, which signs in. */
async function signUp(page: Page, email: string, password = 'correct horse'): Promise<void> {
  await page.goto('/settings/sign-up')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Create account', exact: true }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
}

const CUSTOMER = 'bob@example.com'
let customer: StorageState | undefined

/** Signs a customer up and in on the first call, and returns the cookies. */
async function joinOnce(): Promise<StorageState> {
  if (customer !== undefined) return customer
  const context = await browser.newContext({ baseURL: server.url })
  const form = { email: CUSTOMER, password: 'correct horse' }
  const headers = { origin: server.url }
  for (const path of ['/settings/sign-up', '/settings/sign-in'])
    await context.request.post(path, { form, headers })
  customer = await context.storageState()
  await context.close()
  return customer
}

const ask = async (key: string): Promise<number> =>
  (await fetch(`${server.url}/api/v1/packs/tls-basics`, { headers: { 'x-api-key': key } })).status

describe.each([true, false])('with script: %s', (javaScriptEnabled) => {
  let watched: Awaited<ReturnType<typeof openWatched>>
  beforeAll(async () => {
    watched = await openWatched({ javaScriptEnabled })
  })
  afterAll(() => watched.page.context().close())

  // prettier-ignore
  const morePaths = [
    '/', '/browse', '/browse?search=zebra', '/browse?search=log+of+certficates+table', '/browse/tls-basics',
    '/browse/tls-basics/use', '/browse/tls-basics/versions', '/browse/long?part=2', '/browse/tls-basics/1.0.0/changes', '/prompt',
    '/prompt?pack=tls-basics&pack=handbook', '/try', '/browse/handbook#main', '/browse/none', '/none',
    '/settings', '/settings/code', '/settings/forgot', '/docs', '/docs/errors/recovery_mode',
  ]
  it.each(morePaths)('%s fits every screen size in both colour schemes', async (path) => {
    const { page, faults } = watched
    await page.goto(path)
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
    for (const width of [1280, 390, 360, 320]) {
      await page.setViewportSize({ width, height: 844 })
      expect(await measureOverflow(page), `${width}`).toBe(0)
    }
    // The scheme changes colours alone, and scripts change none.
    if (javaScriptEnabled) await expectAccessible(page)
    expect(faults).toEqual([])
  })
})

it('shows a hostile pack without running or loading anything', async () => {
  const page = await open()
  await page.goto('/browse/hostile')
  const text = await page.locator('.prose').innerText()
  for (const word of [
    '<script>',
    'onerror=',
    '<svg onload',
    '<form id="main"',
    '<style>',
    '[U+202E]gnp.exe',
  ]) {
    expect(text).toContain(word)
  }
  expect(await page.title()).toBe(`</title><script>${RUN}</script> · Packs`)
  expect(await page.locator('.prose :is(script, img, svg, form, input, style, iframe, meta)').count()).toBe(0)
  expect(await page.locator('main[id="~main"]').count()).toBe(1)
  const links = await page
    .locator('.prose a')
    .evaluateAll((found) => found.map((link) => link.getAttribute('href')))
  expect(links).toEqual(['https://evil.example/', 'https://evil.example/pixel.png'])
  await page.goto('/browse?domain=hostile')
  expect(await page.title()).toBe(`"><img src=x onerror="${RUN}"> · Packs`)
})

it('leads from the contents list and from search results to headings, whatever they are called', async () => {
  const page = await open({ viewport: { width: 390, height: 600 }, javaScriptEnabled: false })
  await page.goto('/browse/handbook')
  const contents = page.getByRole('navigation', { name: 'Contents' })
  await contents.getByText(/^Contents 19 sections$/).click()
  expect(await contents.getByRole('link', { name: 'Beyond' }).count()).toBe(1)
  for (const [name, id] of [
    ['main', 'main'],
    ['text', 'cost'],
    ['versions', 'versions'],
    ['依存関係の追跡', '依存関係の追跡'],
  ] as const) {
    await contents.getByRole('link', { name, exact: true }).click()
    expect(decodeURIComponent(new URL(page.url()).hash)).toBe(`#${id}`)
    const target = page.locator('.prose :target')
    expect(await target.textContent()).toBe(name)
    await expect
      .poll(() => target.evaluate((heading) => Math.abs(heading.getBoundingClientRect().top) < 100))
      .toBe(true)
  }
  await contents.getByRole('link', { name: 'Beyond' }).click()
  await page.getByText('“Beyond” is in the whole pack (Pro).').waitFor()
  await page.goto('/browse')
  await page.getByLabel('Search all packs').fill('"Chapter 7"')
  await page.getByRole('button', { name: 'Search' }).click()
  await page
    .getByRole('link', { name: /Chapter 7$/ })
    .first()
    .click()
  expect(await page.locator('.prose :target').textContent()).toBe('Chapter 7')
})

it('gives headings their own names, and links to them others', async () => {
  const page = await open()
  await page.goto('/browse/handbook')
  const text = page.getByRole('region', { name: 'Preview' })
  expect(await text.getByRole('heading', { name: 'versions', exact: true }).count()).toBe(1)
  const link = text.getByRole('link', { name: 'Link to “versions”', exact: true })
  await link.focus()
  await expect.poll(() => link.evaluate((sign) => getComputedStyle(sign).opacity)).toBe('1')
  await page.keyboard.press('Enter')
  expect(new URL(page.url()).hash).toBe('#versions')
  expect(await page.title()).toBe('handbook · Packs')
})

it('copies sections, code and links, and marks the heading that is read', async () => {
  const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
  const read = (): Promise<string> => page.evaluate('navigator.clipboard.readText()')
  await page.goto('/browse/handbook')
  const heading = page.locator('.heading', {
    has: page.getByRole('heading', { name: 'versions', exact: true }),
  })
  await heading.getByRole('button', { name: /^Copy [\d,]+ tokens$/ }).click()
  await heading.getByText('Copied').waitFor()
  expect(await read()).toBe(`## versions\n\n${'Words of a section.\n\n'.repeat(9)}`)
  await heading.getByRole('link').click()
  await heading.getByText('Link copied').waitFor()
  expect(await read()).toBe(`${server.url}/browse/handbook#versions`)
  await expect.poll(() => page.locator('.contents [aria-current]').allTextContents()).toEqual(['versions'])
  await page.goto('/browse/tls-basics')
  const button = page.locator('.heading', { hasText: 'A table' }).getByRole('button')
  expect(await button.textContent()).toMatch(/^Copy \d+ tokens$/)
  await button.click()
  await page.getByText('Copied').waitFor()
  const section = TEXT.slice(TEXT.indexOf('## A table')).replaceAll('CT', 'certificate transparency')
  expect(await read()).toBe(section)
  await page.locator('.code-block').hover()
  await page.locator('.code-block').getByRole('button', { name: 'Copy', exact: true }).click()
  await expect.poll(read).toBe(`${TEXT.split('\n').find((line) => line.startsWith('const line'))}\n`)
})

it('keeps the way to the prompt in sight, rows of tables low, and on a phone everything in reading order', async () => {
  const scripted = await open()
  const page = await open({ javaScriptEnabled: false })
  for (const path of ['/browse/handbook', '/browse/tls-basics']) {
    const shown = path === '/browse/tls-basics' ? [scripted, page] : [page]
    for (const window of shown) {
      await window.goto(path)
      for (const width of [1280, 390]) {
        await window.setViewportSize({ width, height: 844 })
        await expectLinkInSight(window, path)
      }
    }
  }
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 })
    const rows = await page
      .locator('.prose tr')
      .evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height))
    expect(Math.max(...rows)).toBeLessThanOrEqual(120)
    const code = await page.locator('.prose pre code').evaluate((block) => getComputedStyle(block).fontSize)
    expect(parseFloat(code)).toBeGreaterThanOrEqual(14)
  }
  const tops = await scripted
    .locator('h1, .tabs, .text, .side > section')
    .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().top))
  expect(tops).toHaveLength(6)
  expect(tops).toEqual(tops.toSorted((a, b) => a - b))
})

/** Expects the way to the prompt inside the window at three places of the page. */
async function expectLinkInSight(page: Page, path: string): Promise<void> {
  const link = page.locator('.use-bar .primary').filter({ visible: true })
  for (const share of [0, 0.3, 1]) {
    await page.evaluate(`scrollTo(0, ${share} * document.documentElement.scrollHeight)`)
    const { top, bottom } = await link.evaluate((box) => box.getBoundingClientRect())
    expect(top > 0 && bottom <= 844, `${path} at ${share}`).toBe(true)
  }
}

it('copies by keyboard within 25 stops, and has one stop for the terms of a header', async () => {
  const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
  const press = async (key: string): Promise<string> => {
    await page.keyboard.press(key)
    return page.evaluate<string>('document.activeElement.textContent.trim()')
  }
  for (const path of ['/browse/tls-basics', '/browse/tls-basics/use']) {
    await page.goto(path)
    const names: string[] = []
    while (!names.at(-1)?.startsWith('Copy ') && names.length < 25) names.push(await press('Tab'))
    expect(names.slice(0, 2)).toEqual(['Skip to content', 'Skip to Copy'])
    expect(names.at(-1)).toMatch(/^Copy (?:preview, )?[\d,]+ tokens$/)
    await page.keyboard.press('Enter')
    await page.getByText('Copied', { exact: true }).waitFor()
  }
  await page.goto('/browse/handbook/use?scheme=max-2')
  await page.locator('.k').first().focus()
  expect(await press('End')).toBe(await page.locator('.k').last().textContent())
  await press('Tab')
  expect(await page.evaluate('document.activeElement.matches(".k")')).toBe(false)
})

it('moves nothing while a long text is scrolled', async () => {
  const page = await open({ viewport: { width: 390, height: 844 } })
  await page.goto('/browse/long')
  const moved = await page.evaluate<number>(`new Promise((resolve) => {
    let sum = 0
    new PerformanceObserver((list) => {
      for (const { value } of list.getEntries()) sum += value
    }).observe({ type: 'layout-shift', buffered: true })
    const step = () => {
      const { scrollHeight } = document.documentElement
      if (scrollY + innerHeight >= scrollHeight - 1) return requestAnimationFrame(() => resolve(sum))
      scrollBy(0, 2500)
      requestAnimationFrame(() => requestAnimationFrame(step))
    }
    step()
  })`)
  expect(moved).toBeLessThanOrEqual(0.01)
})

it('keeps wide or deeply nested text and long names inside their column', async () => {
  const page = await open()
  const paths = ['/browse/wide-0', '/browse/wide-1', '/browse?domain=wide', '/browse']
  for (const path of [...paths, '/browse/handbook', '/browse?search=heading+words']) {
    expect((await page.goto(path))?.status()).toBe(200)
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 844 })
      expect(await measureOverflow(page), `${path} at ${width}`).toBe(0)
      const wide = await page
        .locator('.prose, .contents, .packs li')
        .evaluateAll((found) => found.map((part) => part.scrollWidth > part.clientWidth))
      expect(new Set(wide), `${path} at ${width}`).toEqual(new Set([false]))
    }
  }
})

it('shows the error of a key without a name beside the field, which keeps the input and gets the focus', async () => {
  const page = await open({ storageState: await joinOnce() })
  await page.goto('/settings')
  await page.getByLabel('Name of a new key').fill('   ')
  await page.getByRole('button', { name: 'Create key', exact: true }).click()
  const field = page.getByLabel('Name of a new key')
  await expect.poll(() => field.evaluate((input) => input === document.activeElement)).toBe(true)
  expect(await field.inputValue()).toBe('   ')
  const note = page.locator(`#${await field.getAttribute('aria-describedby')}`)
  expect(await note.textContent()).toMatch(/^The name of the key is empty/)
  await expectAccessible(page)
})

it('creates, rotates and revokes a key without JavaScript', async () => {
  const page = await open({ javaScriptEnabled: false })
  await signUp(page, 'ann@example.com')
  await page.getByLabel('Name of a new key').fill('laptop')
  await page.getByRole('button', { name: 'Create key', exact: true }).click()
  const first = (await page.locator('.key').textContent()) ?? ''
  expect(await ask(first)).toBe(200)
  await page.getByRole('button', { name: 'Rotate', exact: true }).click()
  const second = (await page.locator('.key').textContent()) ?? ''
  expect(second).not.toBe(first)
  expect([await ask(first), await ask(second)]).toEqual([200, 200])
  await page.goto('/settings')
  expect(await page.getByText(second).count()).toBe(0)
  expect(await page.locator('.gauge').getAttribute('aria-label')).toBe('3 of 10 requests used today')
  for (let more = 0; more < 2; more++) {
    await page.getByRole('link', { name: 'Revoke…', exact: true }).first().click()
    await page.getByRole('button', { name: 'Revoke the key', exact: true }).click()
  }
  await expect.poll(() => Promise.all([ask(first), ask(second)]), { timeout: 60_000 }).toEqual([401, 401])
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  expect(server.log.join('\n')).not.toMatch(/kp_|ann@example\.com|correct horse/)
})

it('fits Settings on a phone, copies a new key, and skips to the content by keyboard', async () => {
  const page = await open({ storageState: await joinOnce() })
  await page.goto('/settings')
  await page.getByLabel('Name of a new key').fill('a name that is rather long for a key, but that is allowed')
  await page.getByRole('button', { name: 'Create key', exact: true }).click()
  await page.getByRole('button', { name: 'Copy', exact: true }).first().click()
  await page.getByText(/^(?:Copied|Selected)/).waitFor()
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await measureOverflow(page)).toBe(0)
  await expectAccessible(page)
  await page.goto('/browse/tls-basics')
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
  await page.keyboard.press('Enter')
  expect(await page.evaluate('document.activeElement.id')).toBe('~main')
})

it('rejects a form of another site', async () => {
  const page = await open({ storageState: await joinOnce() })
  await page.goto('/settings')
  await page.getByText(CUSTOMER).first().waitFor()
  const { id } = (await server.catalog.accounts.find(CUSTOMER))!
  const keys = await server.catalog.keys.list(id)
  const other = await page.context().newPage()
  await other.setContent(
    `<form method="post" action="${server.url}/settings/keys"><input name="name" value="x"><button>Go</button></form>`,
  )
  const [answer] = await Promise.all([
    other.waitForResponse(/\/settings\/keys$/),
    other.getByRole('button').click(),
  ])
  expect(answer.status()).toBe(403)
  expect(await server.catalog.keys.list(id)).toEqual(keys)
})

it('in recovery mode shows the catalog in full, and says why keys cannot be created', async () => {
  const page = await open({ storageState: await joinOnce() })
  await page.goto('/settings')
  await server.catalog.settings.setMode('recovery', { message: 'We restore a disk.', retryAfter: 60, actor })
  try {
    await expect.poll(() => ask('kp_x'), { timeout: 60_000 }).toBe(503)
    await page.getByLabel('Name of a new key').fill('late')
    await page.getByRole('button', { name: 'Create key', exact: true }).click()
    expect(await page.getByRole('alert').textContent()).toContain('keys can neither be created nor used')
    const visitor = await open()
    await visitor.goto('/browse/tls-basics')
    await visitor.getByText('We restore a disk.').waitFor()
    const [download] = await Promise.all([
      visitor.waitForEvent('download'),
      visitor.getByRole('link', { name: 'Download pack .pack.json' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('tls-basics.pack.json')
    const pack = JSON.parse(readFileSync(await download.path(), 'utf8')) as unknown
    expect(pack).toEqual(packs.find(({ pack: { slug } }) => slug === 'tls-basics')!.pack)
    expect(await findViolations(visitor)).toEqual([])
    await page.goto('/browse')
    await page.locator('[data-add="handbook"]').click()
    await page.getByText(/^Added, 1 pack, [\d,]+ tokens$/).waitFor()
    await page.locator('nav [data-prompt]').click()
    const total = await page.locator('.paid-tokens').textContent()
    expect(await page.locator('nav [data-prompt] small').textContent()).toBe(total!.trim())
  } finally {
    await server.catalog.settings.setMode('online', { actor })
  }
})

it('composes a prompt of three packs in five acts, and keeps, moves and removes them', async () => {
  const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
  const nav = page.locator('nav [data-prompt]')
  const chosen = page.locator('.part-name a')
  const expectNav = (text: RegExp): Promise<void> =>
    expect.poll(async () => (await nav.innerText()).replace(/\s+/g, ' ')).toMatch(text)
  await page.goto('/browse')
  for (const slug of ['tls-basics', 'handbook', 'hostile']) await page.locator(`[data-add="${slug}"]`).click()
  await page.getByText(/^Added, 3 packs$/).waitFor()
  await page.locator('a.added', { hasText: 'handbook' }).focus()
  await page.keyboard.press('Space')
  await page.getByText(/^Removed, 2 packs$/).waitFor()
  await page.keyboard.press('Enter')
  await expectNav(/^Prompt 3\b/)
  await page.reload()
  expect(await page.locator('a.added').count()).toBe(3)
  await nav.click()
  await expect.poll(() => chosen.allTextContents()).toEqual(['TLS basics', expect.any(String), 'handbook'])
  await page.getByRole('link', { name: /^Move .*script.* up$/ }).click()
  await expect.poll(async () => (await chosen.allTextContents())[1]).toBe('TLS basics')
  await page.getByRole('button', { name: /^Copy [\d,]+ tokens$/ }).click()
  await page.getByText('Copied', { exact: true }).waitFor()
  const file = await page.request.get(page.url().replace('/prompt?', '/prompt.md?'))
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await file.text())
  await page.getByRole('link', { name: 'Remove handbook', exact: true }).click()
  await expectNav(/^Prompt 2\b/)
  await page.goBack()
  await expectNav(/^Prompt 3\b/)
  await page.goto('/prompt')
  await expect.poll(() => chosen.count()).toBe(3)
  await page.getByRole('link', { name: 'Remove all' }).click()
  await expectNav(/^Prompt$/)
})

it('copies the passages that answer a question, without those that were removed', async () => {
  const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
  const read = (): Promise<string> => page.evaluate('navigator.clipboard.readText()')
  await page.goto('/browse')
  await page.keyboard.press('/')
  await page.keyboard.type('log of certificates, long words of a heading, and chapter words')
  await page.keyboard.press('Enter')
  const copy = page.locator('.passages .copy')
  await copy.click()
  await page.getByText('Copied', { exact: true }).waitFor()
  const all = await read()
  const parts = all.split(/(?=^<doc id)/m)
  expect(parts.length).toBeGreaterThan(2)
  await page.getByRole('button', { name: 'Remove passage' }).first().click()
  await copy.click()
  await expect.poll(read).toBe(all.replace(parts[1]!, ''))
  const tokenizer = await loadTokenizer('o200k_base')
  const left = tokenizer.countTokens(await read()).toLocaleString('en-US')
  expect(await copy.textContent()).toBe(`Copy ${left} tokens`)
  await page.getByRole('button', { name: 'Put back' }).click()
  await copy.click()
  await expect.poll(read).toBe(all)
})
