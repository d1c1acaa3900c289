import { loadTokenizer } from '@packs/codec/compress'
import type { Browser } from 'playwright-core'
import type { BenchSite } from './open-site.ts'

/** How a section came from the first page into the clipboard. */
export interface Journey {
  readonly acts: readonly string[]
  /** Tokens that the button says. */
  readonly stated: number
  /** Tokens of what was copied. */
  readonly counted: number
  /** Whether the source contains what was copied. */
  readonly isExact: boolean
}

/** Searches on the first page, and copies the first section that is found. */
export async function copySection(browser: Browser, { origin, cookie }: BenchSite): Promise<Journey> {
  const context = await browser.newContext({
    permissions: ['clipboard-read', 'clipboard-write'],
    extraHTTPHeaders: { cookie },
  })
  const page = await context.newPage()
  await page.goto(origin)
  const acts: string[] = []
  const search = page.locator('main input[name="search"], header input[name="search"]').first()
  await search.fill('configuration')
  acts.push('Type “configuration” into the search.')
  await search.press('Enter')
  acts.push('Press Enter.')
  const button = page.locator('button.copy[data-copy-url]:visible').first()
  const stated = Number((await button.textContent())?.replace(/\D/g, ''))
  await button.click()
  acts.push('Press “Copy” at the first hit.')
  await page.locator('[role="status"]', { hasText: 'Copied' }).first().waitFor()
  const copied = await page.evaluate<string>('navigator.clipboard.readText()')
  const href = (await button.getAttribute('data-copy-url'))!
  const slug = href.split('/')[2]!
  const source = await (await fetch(`${origin}/browse/${slug}.md?full=1`, { headers: { cookie } })).text()
  const counted = (await loadTokenizer('o200k_base')).countTokens(copied)
  await context.close()
  return { acts, stated, counted, isExact: copied !== '' && source.includes(copied) }
}
