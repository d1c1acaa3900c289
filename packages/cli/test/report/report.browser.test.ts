import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import axe from 'axe-core'
import { type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openBrowser } from '../../../test-kit/test/open-browser.ts'
import { runPack } from '../../../test-kit/test/run-pack.ts'

const folder = mkdtempSync(join(tmpdir(), 'pack-report-'))

const HOSTILE = `</div></div></section><script>document.title = 'owned'</script><svg onload="document.title='owned'">
"><img src=x onerror="document.title='owned'" id=p0 name=body> <style>*{display:none}</style> <!-- </style></title>
[a](javascript:alert(1)) &lt;b&gt; \u202Eturned\u202C \u2066isolated\u2069 \u200Bno width \u{E0041}tag \u0007bell
`
const SOURCE = `---
slug: hostile
title: '</title><script>document.title = "owned"</script> \u202Eturned'
domain: '<img src=x onerror=alert(1)>'
subdomain: "a'b\u2066"
difficulty: beginner
compression: dense-2
glossary:
  - term: XSS
    expansion: 'onerror="document.title=''owned''" id=p0 name=body'
---
# <script>

${HOSTILE.repeat(4)}
עברית עם English.
`

const WORDS = 'amber birch cedar delta ember flint grove heron inlet jetty kiosk lemon'.split(' ')
const LINES = WORDS.map(
  (word) =>
    `- One ${word} of the northern hills reads a red certificate transparency log, and ${word} is written in the rules of the old harbor office.`,
)
const PLAIN = `---
slug: plain
title: Plain
domain: Guides
subdomain: Tests
difficulty: beginner
compression: dense-2
---
# Logs

${LINES.join('\n')}

${LINES.join(' And then, ')}
`

/** Background colours of the pages of `pack serve`. */
const PAPER = { light: 'rgb(251, 250, 247)', dark: 'rgb(22, 22, 20)' }

let browser: Browser
let address: string

beforeAll(async () => {
  const name = '<img src=x onerror=alert(1)>.md'
  writeFileSync(join(folder, name), SOURCE)
  writeFileSync(join(folder, 'broken.md'), '---\nslug: x\nslug: y\ntitle: <b>\n---\n')
  writeFileSync(join(folder, 'plain.md'), PLAIN)
  const inputs = [name, 'broken.md', 'plain.md']
  const run = await runPack(['build', ...inputs, '--dry-run', '--report', 'build.html'], { cwd: folder })
  if (run.status !== 1) throw new Error(run.stderr)
  address = pathToFileURL(join(folder, 'build.html')).href
  browser = await openBrowser()
})

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
})

interface Opened {
  readonly page: Page
  /** Requests, console messages, errors and dialogs of the page. */
  readonly events: string[]
}

async function open(options: BrowserContextOptions = {}): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options })
  onTestFinished(() => page.close())
  const events: string[] = []
  page.on('request', (request) => events.push(request.url()))
  page.on('console', (message) => events.push(message.text()))
  page.on('pageerror', (error) => events.push(error.message))
  page.on('dialog', (dialog) => {
    events.push(dialog.message())
    void dialog.dismiss()
  })
  await page.goto(address)
  return { page, events }
}

/** Lists the lit elements of the second pack by kind and entry. */
async function listLit(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const kinds = { text: 'pre .m', header: '.k', note: '.o' }
    const found = Object.entries(kinds).flatMap(([kind, selector]) =>
      Array.from(document.querySelectorAll('#p0 ' + selector))
        .filter((node) => getComputedStyle(node).getPropertyValue('--mark') !== '')
        .map((node) => kind + ' ' + /e\\d+/.exec(node.className)[0]))
    return [...new Set(found)].sort()
  })()`)
}

const everywhere = (entry: string): string[] => ['header', 'note', 'text'].map((kind) => `${kind} ${entry}`)

describe('the report page', () => {
  it('shows hostile sources as text, loads nothing and runs none of their scripts', async () => {
    const { page, events } = await open()
    expect(await page.title()).toBe('Build of 3 pages')
    const found = await page.evaluate<Record<string, unknown>>(`(() => {
      const nodes = [...document.querySelectorAll('*')]
      const ids = nodes.map((node) => node.id).filter((id) => id !== '')
      return {
        scripts: document.scripts.length,
        styles: document.querySelectorAll('style').length,
        images: document.querySelectorAll('img, iframe, object, embed, form, base').length,
        handlers: nodes.filter((node) => node.getAttributeNames().some((name) => name.startsWith('on') || name === 'style')).length,
        links: [...document.links].filter((link) => !link.getAttribute('href').startsWith('#')).length,
        doubles: ids.length - new Set(ids).size,
        section: document.getElementById('p0').tagName,
        hidden: /[\\u202A-\\u202E\\u2066-\\u2069\\u200B\\u0007]|\\u{E0041}/u.test(document.documentElement.innerHTML),
      }
    })()`)
    expect(found).toEqual({
      scripts: 1,
      styles: 1,
      images: 0,
      handlers: 0,
      links: 0,
      doubles: 0,
      section: 'SECTION',
      hidden: false,
    })
    const text = await page.evaluate<string>(`document.querySelector('#p1').textContent`)
    expect(text).toContain(`<svg onload="document.title='owned'`)
    expect(text).toContain('U+202Eturned')
    expect(text).toContain('U+E0041tag')
    expect(events).toEqual([address])
  })

  it('has a policy that blocks unescaped scripts, styles and images', async () => {
    const { page, events } = await open()
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend',
      '<img src="https://example.org/x.png" onerror="document.title=1"><p id="red" style="color:rgb(255,0,0)">')`)
    const refused = [/Loading the image/, /inline event handler/, /inline style/]
    await expect.poll(() => refused.filter((what) => events.some((text) => what.test(text)))).toEqual(refused)
    expect(await page.title()).toBe('Build of 3 pages')
    const colour = await page.evaluate<string>(`getComputedStyle(document.getElementById('red')).color`)
    expect(colour).not.toBe('rgb(255, 0, 0)')
  })

  it.each([
    ['with scripts', true],
    ['without scripts', false],
  ])(
    'lights an entry in the text and in the header, and shows its note, %s',
    async (_, javaScriptEnabled) => {
      const { page } = await open({ javaScriptEnabled })
      expect(await listLit(page)).toEqual([])
      await page.locator('#p0 pre .m.e0').first().hover()
      expect(await listLit(page)).toEqual(everywhere('e0'))
      await page.mouse.move(5, 5)
      expect(await listLit(page)).toEqual([])
      await page.locator('#p0 .k.e1').focus()
      expect(await listLit(page)).toEqual(everywhere('e1'))
      const note = page.locator('#p0 .o.e0')
      expect(await note.isVisible()).toBe(false)
      await page.locator('#p0 pre .m.e0').first().click()
      expect(await note.isVisible()).toBe(true)
    },
  )

  it.each([
    ['light', 1280],
    ['dark', 320],
  ] as const)('has no axe violations and fits the width, %s at %d px', async (colorScheme, width) => {
    const { page } = await open({ colorScheme, viewport: { width, height: 900 } })
    await page.locator('#p0 .k').first().focus()
    await page.evaluate(axe.source)
    const found = await page.evaluate<string[]>(`axe.run().then(({ violations }) =>
      violations.flatMap(({ id, impact, nodes }) => nodes.map(({ html, failureSummary }) => [impact, id, html, failureSummary].join(' '))))`)
    expect(found).toEqual([])
    expect(await page.evaluate(`document.documentElement.scrollWidth`)).toBe(width)
    const paper = await page.evaluate(`getComputedStyle(document.body).backgroundColor`)
    expect(paper).toBe(PAPER[colorScheme])
  })
})
