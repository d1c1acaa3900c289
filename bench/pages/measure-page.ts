import axe from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { medianOf } from '../measure.ts'

/** What a browser found out about a page. */
export interface PageFigures {
  readonly page: string
  readonly requests: number
  /** Requests to other sites. */
  readonly foreign: number
  /** Bytes of everything that the page loads, as sent. */
  readonly all: number
  /** Median milliseconds until the largest element was drawn, over a slow line with a slow processor. */
  readonly lcp: number
  /** How far elements moved after they were drawn, also while the page is scrolled in jumps. */
  readonly cls: number
  /** Presses of Tab until the first button that copies has the focus; null without one. */
  readonly tabs: number | null
  /** Findings of axe, at two widths, light and dark. */
  readonly axe: readonly string[]
  /** Widths at which the page is wider than the window. */
  readonly overflows: readonly number[]
}

const WIDTHS = [320, 390, 768, 1280, 1680]
/** Widths of the two layouts, in which axe looks. */
const LAYOUTS = [390, 1280]
/** 400 kbit/s, and a processor four times slower. */
const LINE = { offline: false, latency: 150, downloadThroughput: 50_000, uploadThroughput: 50_000 }
const SLOWDOWN = 4
/** Loads of a page, whose median counts. */
const LOADS = 3

/** Reads the last value of both observers. They are set up before the page is loaded. */
const OBSERVE = `globalThis.figures = { lcp: 0, cls: 0 }
new PerformanceObserver((list) => { for (const entry of list.getEntries()) figures.lcp = entry.startTime })
  .observe({ type: 'largest-contentful-paint', buffered: true })
new PerformanceObserver((list) => { for (const entry of list.getEntries()) figures.cls += entry.value })
  .observe({ type: 'layout-shift', buffered: true })`

/** Scrolls to the end, and draws after each jump. */
const SCROLL = `(async () => {
  for (let y = 0; y < document.documentElement.scrollHeight; y += 2500) {
    scrollTo(0, y)
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame)
  }
})()`
const MAX_TABS = 100

/** Counts presses of Tab, and takes the skip link to the button where there is one. */
async function countTabs(page: Page): Promise<number | null> {
  const focused = '`${document.activeElement.tagName} ${document.activeElement.textContent.trim()}`'
  for (let presses = 1; presses <= MAX_TABS; presses++) {
    await page.keyboard.press('Tab')
    const name = await page.evaluate<string>(focused)
    if (name.startsWith('BUTTON Copy')) return presses
    if (/^A Skip to copy/i.test(name)) await page.keyboard.press('Enter')
  }
  return null
}

/** Measures a page in a browser with empty caches. */
export async function measurePage(
  browser: Browser,
  origin: string,
  path: string,
  cookie: string,
): Promise<PageFigures> {
  const headers = cookie === '' ? {} : { cookie }
  // What the server writes once and keeps is written before.
  await fetch(origin + path, { headers })
  const loads: Load[] = []
  for (let round = 0; round < LOADS; round++) {
    const slow = await browser.newContext({
      viewport: { width: 390, height: 844 },
      extraHTTPHeaders: headers,
    })
    loads.push(await loadSlowly(slow, origin, path))
    await slow.close()
  }
  const loaded = {
    ...loads[0]!,
    lcp: medianOf(loads.map(({ lcp }) => lcp)),
    cls: Math.max(...loads.map(({ cls }) => cls)),
  }
  let tabs: number | null = null
  const found = new Set<string>()
  const overflows = new Set<number>()
  for (const colorScheme of ['light', 'dark'] as const)
    for (const forcedColors of ['none', 'active'] as const) {
      const context = await browser.newContext({
        colorScheme,
        forcedColors,
        extraHTTPHeaders: headers,
        bypassCSP: true,
      })
      const page = await context.newPage()
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        await page.goto(origin + path)
        // Forced colors are the system's, and axe takes the others for them.
        if (LAYOUTS.includes(width) && forcedColors === 'none')
          for (const finding of await findViolations(page)) found.add(finding)
        if (
          await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')
        )
          overflows.add(width)
      }
      tabs ??= await countTabs(page)
      await context.close()
    }
  return { page: path, ...loaded, tabs, axe: [...found], overflows: [...overflows] }
}

type Load = Omit<PageFigures, 'page' | 'axe' | 'overflows' | 'tabs'>

async function loadSlowly(context: BrowserContext, origin: string, path: string): Promise<Load> {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  const sizes: number[] = []
  session.on('Network.loadingFinished', ({ encodedDataLength }) => void sizes.push(encodedDataLength))
  const urls: string[] = []
  page.on('request', (request) => urls.push(request.url()))
  await session.send('Network.emulateNetworkConditions', LINE)
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
  await page.addInitScript(OBSERVE)
  await page.goto(origin + path, { waitUntil: 'networkidle' })
  while ((await page.evaluate<number>('figures.lcp')) === 0) await page.waitForTimeout(50)
  const lcp = await page.evaluate<number>('figures.lcp')
  await page.evaluate(SCROLL)
  const cls = await page.evaluate<number>('figures.cls')
  return {
    requests: urls.length,
    foreign: urls.filter((url) => !url.startsWith(`${origin}/`)).length,
    all: sizes.reduce((sum, size) => sum + size, 0),
    lcp: Math.round(lcp),
    cls: Math.round(cls * 1000) / 1000,
  }
}

async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<{
    violations: { id: string; nodes: { target: string[] }[] }[]
  }>('axe.run(document, { resultTypes: ["violations"] })')
  return violations.map(({ id, nodes }) => `${id} at ${nodes[0]?.target.join(' ') ?? '?'}`)
}
