// `pnpm bench:pages`: what the pages of a catalog weigh, how soon they are drawn on a slow line, whether axe finds anything, and how
// many acts lead from `/` to a section in the clipboard. It runs the built program in Chromium; a full run is saved in bench/results.
import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { findChromium } from '../packages/codec/test/runtimes/find-chromium.ts'
import { loadCorpus } from './documents.ts'
import { formatTable } from './markdown-table.ts'
import { copySection, type Journey } from './pages/copy-section.ts'
import { measurePage, type PageFigures } from './pages/measure-page.ts'
import { openSite } from './pages/open-site.ts'
import { createProgress } from './progress.ts'
import { describeMachine } from './results.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const { name, documents } = await loadCorpus(root)
const folder = mkdtempSync(join(tmpdir(), 'packs-pages-'))
const site = await openSite(root, folder, documents)
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
  const progress = createProgress('page', visitor.length + pro.length)
  const figures: PageFigures[] = []
  for (const path of visitor) {
    figures.push({ ...(await measurePage(browser, site.origin, path, '')), page: path })
    progress()
  }
  for (const path of pro) {
    figures.push({ ...(await measurePage(browser, site.origin, path, site.cookie)), page: `${path} (Pro)` })
    progress()
  }
  const journey = await copySection(browser, site)
  const text = format(figures, journey)
  process.stdout.write(text)
  if (name === 'corpus') {
    await writeFile(
      join(root, 'bench/results/pages.json'),
      `${JSON.stringify({ figures, journey }, null, 2)}\n`,
    )
    await writeFile(join(root, 'bench/results/pages.md'), text)
  }
} finally {
  await browser.close()
  await site.close()
  rmSync(folder, { recursive: true, force: true })
}

function format(figures: readonly PageFigures[], journey: Journey): string {
  const [yardstick] = figures
  const { cpu, cores } = describeMachine()
  const kb = (bytes: number): string => (bytes / 1000).toFixed(1)
  const rows = figures.map(({ page, requests, foreign, all, lcp, cls, axe, overflows }) => [
    page.replace(site.longest, 'PACK'),
    `${requests}`,
    `${foreign}`,
    kb(all),
    `${(lcp / 1000).toFixed(2)}`,
    `${(lcp / yardstick!.lcp).toFixed(2)}`,
    `${cls}`,
    `${axe.length}`,
    `${overflows.length}`,
  ])
  const head = ['page', 'requests', 'other sites', 'all, KB', 'LCP, s', 'LCP ÷', 'CLS', 'axe', 'overflows']
  const findings = figures.flatMap(({ page, axe }) => axe.map((finding) => `- ${page}: ${finding}\n`))
  return `# Pages

${documents.length} documents with \`dense-1\`; PACK is the longest one that a page shows whole. Chromium with empty caches, ${cpu}, ${cores} cores. KB (1,000
bytes) are as sent, with headers. LCP is over 400 kbit/s with a latency of 100 ms and a processor four times slower, at 390 px; "÷" is
by that of the first page. The server had written the pages before; LCP is the median of three loads. Overflows are those at 320, 390, 768,
1280 and 1680 px, light, dark and in forced colors; findings of axe those at 390 and 1280 px, light and dark.

${formatTable(head, rows)}

${findings.join('')}
## From \`/\` to a section in the clipboard

${journey.acts.map((act, at) => `${at + 1}. ${act}\n`).join('')}
The button says ${journey.stated} tokens; what was copied has ${journey.counted}. ${journey.isExact ? 'It is the section of the source, byte for byte.' : 'It differs from the source.'}
`
}
