import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type BrowserContextOptions, type Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'
import { openBrowser } from '../../../test-kit/test/open-browser.ts'
import { renderPage } from '../../src/report/render-page.ts'
import { makeDiffering, makeResult } from './made-up-result.ts'

const axe = createRequire(resolve('packages/cli/package.json'))('axe-core') as { source: string }
const folder = makeFolder()
const address = pathToFileURL(join(folder, 'eval.html')).href
const HOSTILE = `</div></article><script>document.title='owned'</script><svg onload="document.title='owned'"> <style>*{display:none}</style> ${'w'.repeat(900)}`

const hostile = makeDiffering('q-hostile', [
  ['source', 'right'],
  ['max-2', 'wrong', HOSTILE],
])
const { differing, warnings } = makeResult()
const result = makeResult({ differing: [...differing, hostile], warnings: [...warnings, HOSTILE] })
writeFileSync(join(folder, 'eval.html'), renderPage(result))
const browser = await openBrowser()

async function open(options: BrowserContextOptions): Promise<{ page: Page; events: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options })
  onTestFinished(() => page.close())
  const events: string[] = []
  page.on('request', (request) => events.push(request.url()))
  page.on('console', (message) => events.push(message.text()))
  await page.goto(address)
  return { page, events }
}

describe('the page of an evaluation', () => {
  it('requests nothing, runs nothing and shows hostile answers as text', async () => {
    const { page, events } = await open({})
    expect(await page.title()).toBe('Evaluation of 2 packs with gpt-5-mini')
    expect(await page.locator('script').count()).toBe(0)
    expect(await page.locator('style').count()).toBe(1)
    expect(await page.locator('article', { hasText: 'q-hostile' }).textContent()).toContain(
      `<svg onload="document.title='owned'">`,
    )
    expect(events).toEqual([address])
    await page.evaluate(
      `document.body.insertAdjacentHTML('beforeend', '<img src="https://example.org/x.png" onerror="document.title=1">')`,
    )
    const refused = [/Loading the image/, /inline event handler/]
    await expect.poll(() => refused.filter((what) => events.some((text) => what.test(text)))).toEqual(refused)
  })

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['dark', 390],
    ['light', 320],
  ] as const)('has no axe violations and fits the width, %s at %d px', async (colorScheme, width) => {
    const { page } = await open({ colorScheme, viewport: { width, height: 900 } })
    await page.evaluate(axe.source)
    const found = await page.evaluate<string[]>(`axe.run().then(({ violations }) =>
      violations.flatMap(({ id, impact, nodes }) => nodes.map(({ html, failureSummary }) => [impact, id, html, failureSummary].join(' '))))`)
    expect(found).toEqual([])
    expect(await page.evaluate(`document.documentElement.scrollWidth`)).toBe(width)
  })

  it('keeps the texts of the picture apart on a phone', async () => {
    const { page } = await open({ viewport: { width: 320, height: 900 } })
    const gaps = await page.evaluate<number[]>(`[...document.querySelectorAll('svg g')].map((row) => {
      const [name, figures] = [...row.querySelectorAll('text')].map((text) => text.getBoundingClientRect())
      return figures.left - name.right
    })`)
    expect(gaps).toHaveLength(6)
    expect(Math.min(...gaps)).toBeGreaterThan(4)
  })
})
