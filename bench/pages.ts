// `pnpm bench:pages`: what the pages of a catalog weigh, how soon they are drawn on a slow line, how far
// they move, and what axe finds. It runs the built program in Chromium. Saved as bench/results/pages.json.
import { chromium } from 'playwright-core'
import { findChromium } from '../packages/test-kit/test/find-chromium.ts'
import { loadCorpus } from './documents.ts'
import { createProgress, describeMachine, type Machine } from './measure.ts'
import { measurePage, type PageFigures } from './pages/measure-page.ts'
import { openSite } from './pages/open-site.ts'
import { ROOT, withFolder } from './program.ts'
import { saveResults } from './results.ts'

export interface PagesResults {
  readonly machine: Machine
  readonly documents: number
  /** The first page is the yardstick. */
  readonly figures: readonly PageFigures[]
}

await withFolder(main)

async function main(folder: string): Promise<void> {
  const { name, documents } = await loadCorpus(ROOT)
  const site = await openSite(folder, documents)
  const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] })
  try {
    const pack = `/browse/${site.longest}`
    const visitor = [
      '/docs/errors/not_found',
      '/',
      '/browse',
      '/browse?search=configuration',
      pack,
      `${pack}/use`,
      `${pack}/versions`,
      `/prompt?pack=${site.longest}`,
      '/try',
      '/docs',
      '/settings',
    ]
    const pro = [
      pack,
      `${pack}/use`,
      `${pack}/versions`,
      '/browse?search=configuration',
      `/prompt?pack=${site.longest}`,
      '/settings',
    ]
    const tick = createProgress('page', visitor.length + pro.length)
    const figures: PageFigures[] = []
    const measure = async (path: string, cookie: string, ending: string): Promise<void> => {
      const page = `${path.replace(site.longest, 'PACK')}${ending}`
      figures.push({ ...(await measurePage(browser, site.origin, path, cookie)), page })
      tick()
    }
    for (const path of visitor) await measure(path, '', '')
    for (const path of pro) await measure(path, site.cookie, ' (Pro)')
    const results = { machine: describeMachine(), documents: documents.length, figures }
    if (name === 'corpus') await saveResults('pages', results satisfies PagesResults)
    else process.stdout.write(`${JSON.stringify(results, null, 1)}\n`)
  } finally {
    await browser.close()
    await site.close()
  }
}
