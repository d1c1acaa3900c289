import { readFileSync } from 'node:fs'
import { source as axe } from 'axe-core'
import { composePrompt, compress } from '@packs/codec/compress'
import { type BrowserContextOptions, type Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openBrowser } from '../../../test-kit/test/open-browser.ts'
import { startCatalogServer } from '../../../test-kit/test/start-server.ts'

const EXAMPLE = readFileSync(new URL('../../assets/try-example.txt', import.meta.url), 'utf8')
const SCHEMES = ['none', 'minify-1', 'dense-2', 'max-2'] as const

const RESTORED = [
  ['Arabic', 'تشفير البيانات المهمة يحمي المستخدمين. '.repeat(120)],
  ['Hebrew', 'הצפנה של נתונים חשובים מגינה על המשתמשים. '.repeat(120)],
  ['Chinese', '依存関係を追跡するための証明書を更新する。'.repeat(120)],
  ['line ends of Windows', 'The certificate authority\r\nsigns the request again\r\n'.repeat(90)],
  [
    'the marker of a header',
    `[DECODE] CA=certificate\n\n${'The certificate authority signs it. '.repeat(90)}`,
  ],
  ['characters for private use', 'The certificate \u{F0001} authority signs \uE000 it. '.repeat(90)],
  ['markup', '<script>document.title = "owned"</script> <img src=x onerror="alert(1)"> '.repeat(60)],
] as const
const KEPT = [
  ['A short note.', 'Nothing can be left out'],
  ['The certificate \uD800 authority signs it. '.repeat(90), 'half of a surrogate pair'],
] as const

const server = await startCatalogServer([])
const browser = await openBrowser()

interface TryPage {
  readonly page: Page
  /** Paths that were requested. */
  readonly requests: string[]
}

async function open(path = '/try', options: BrowserContextOptions = {}): Promise<TryPage> {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'], ...options })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const requests: string[] = []
  page.on('request', (request) => requests.push(new URL(request.url()).pathname))
  await page.goto(`${server.url}${path}`)
  return { page, requests }
}

/** Pastes a text, with its own line ends, into the empty field. */
async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((pasted) => {
    const field = document.getElementById('~text') as HTMLTextAreaElement
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', pasted)
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }))
    field.value = pasted
    field.dispatchEvent(new InputEvent('input', { inputType: 'insertFromPaste', bubbles: true }))
  }, text)
}

/** Empties the field, and waits until no older result is shown. */
async function clear(page: Page): Promise<void> {
  await page.locator('[id="~clear"]').click()
  await waitFor(page, 'The program is loaded.')
}

async function drop(page: Page, name: string, content: readonly number[] | string): Promise<void> {
  await page.locator('[id="~file"]').setInputFiles({
    name,
    mimeType: 'text/markdown',
    buffer: typeof content === 'string' ? Buffer.from(content) : Buffer.from(content),
  })
}

const status = (page: Page) => page.locator('[id="~status"]')
const waitFor = (page: Page, text: string) => status(page).filter({ hasText: text }).waitFor()

async function readTokens(page: Page): Promise<number[]> {
  const cells = await page.locator('tr[data-scheme] td:nth-of-type(1)').allTextContents()
  return cells.map((cell) => Number(cell.replaceAll(',', '')))
}

describe('/try', () => {
  it('loads the program after a paste, and shows what the codec gives in Node', async () => {
    const { page, requests } = await open()
    expect(await status(page).textContent()).toMatch(/^Downloads [\d,]+ KB on first use\.$/)
    expect(requests.filter((path) => path.includes('worker'))).toEqual([])
    await paste(page, EXAMPLE)
    await waitFor(page, 'Done: 11.3 KB')
    expect(requests.filter((path) => path.includes('worker'))).toHaveLength(1)
    const packs = await Promise.all(SCHEMES.map((scheme) => compress(EXAMPLE, { scheme })))
    expect(await readTokens(page)).toEqual(packs.map(({ tokens }) => tokens.content + tokens.rosetta))
    expect(packs[0]!.tokens.content).toBe(2868)
    for (const [at, scheme] of SCHEMES.entries()) {
      await page.locator(`input[value="${scheme}"]`).check()
      expect(await page.locator('[id="~proof"]').textContent()).toBe('Restored exactly: all 11,343 bytes.')
      const copied = await composePrompt([packs[at]!], scheme === 'none' ? {} : { scheme, links: 'drop' })
      const copy = page.locator('[id="~copy"]')
      expect(await copy.textContent()).toBe(`Copy ${copied.tokens.toLocaleString('en-US')} tokens`)
      await copy.click()
      await waitFor(page, 'Copied the prompt')
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(copied.text)
      expect(copied.text.includes('[support](https://support.harbour.example/')).toBe(scheme === 'none')
    }
  })

  it('begins with Lean, strikes through what left, and shows the address of a number', async () => {
    const { page } = await open('/try#example')
    await waitFor(page, 'Done:')
    expect(await page.locator('input[value="minify-1"]').isChecked()).toBe(true)
    expect(await page.locator('[id="~result-title"]').textContent()).toBe('The prompt, Lean')
    const { text, links, patch } = await compress(EXAMPLE, { scheme: 'minify-1' })
    const left = patch.map(([, , removed]) => removed).filter((removed) => removed !== '')
    for (const scheme of ['minify-1', 'max-2']) {
      await page.locator(`input[value="${scheme}"]`).check()
      expect(await page.locator('.try-content del').allTextContents()).toEqual(left)
    }
    expect(await page.locator('[id="~command"]').textContent()).toBe('pack build notes.md --scheme max-2')
    await page.locator('input[value="minify-1"]').check()
    const rest = page.locator('.try-content').evaluate((content) => {
      for (const struck of content.querySelectorAll('del')) struck.remove()
      return content.textContent
    })
    expect(await rest).toBe(text)
    await page.locator('[id="~gone"]').uncheck()
    expect(await page.locator('.try-content').textContent()).toBe(text)
    const number = page.locator('.try-number').first()
    await number.hover()
    expect(await page.locator('[id="~note"]').textContent()).toBe(`(1) = ${links[0]}`)
    expect(await number.getAttribute('title')).toBe(links[0])
  })

  it('lights all places of a term, and expands them', async () => {
    const { page } = await open('/try#example')
    await waitFor(page, 'Done:')
    await page.locator('input[value="max-2"]').check()
    await page.locator('[id="~gone"]').uncheck()
    const packed = await compress(EXAMPLE, { scheme: 'max-2' })
    const { terms } = await composePrompt([packed])
    expect(await page.locator('.try-header .try-term').allTextContents()).toEqual(
      terms.map(({ term }) => term),
    )
    const frame = page.locator('[id="~prompt"]')
    await frame.locator('.try-content .try-term:not(.try-number)').first().hover()
    const term = await frame.locator('.try-content .try-term:not(.try-number)').first().textContent()
    expect(await frame.locator('.try-term.on').allTextContents()).toSatisfy(
      (lit: string[]) => lit.length > 1 && lit.every((text) => text === term),
    )
    expect(await page.locator('[id="~note"]').textContent()).toContain(`${term} = `)
    await frame.focus()
    await page.keyboard.press('n')
    await page.keyboard.press('ArrowRight')
    const second = await frame.locator('.try-content .try-term').nth(1).textContent()
    expect(await page.locator('[id="~note"]').textContent()).toContain(
      /^\d+$/.test(second!) ? `(${second}) = ` : `${second} = `,
    )
    await page.locator('[id="~expand"]').check()
    expect(await page.locator('.try-content').textContent()).toBe(packed.text)
  })

  it('restores other scripts, markup and headers, and says what stays as it is', async () => {
    const { page } = await open()
    for (const [name, text] of RESTORED) {
      await paste(page, text)
      await waitFor(page, 'Done:')
      const bytes = Buffer.byteLength(text).toLocaleString('en-US')
      const proof = await page.locator('[id="~proof"]').textContent()
      const hasMarker = (await status(page).textContent())?.includes('It contains [DECODE]')
      expect([name, hasMarker, proof]).toEqual([
        name,
        name === 'the marker of a header',
        expect.stringContaining(`exactly: all ${bytes} bytes`),
      ])
      expect(await page.title()).toMatch(/^Try it/)
      await clear(page)
    }
    for (const [text, message] of KEPT) {
      await paste(page, text)
      await waitFor(page, message)
      expect(new Set(await readTokens(page)).size).toBe(1)
      await clear(page)
    }
  })

  it('takes files of text up to 2 MB, byte for byte', async () => {
    const { page } = await open()
    await drop(page, 'image.png', [0x89, 0x50, 0x4e, 0x47, 0xff])
    await waitFor(page, 'image.png is not a text file in UTF-8')
    await drop(page, 'zero.md', 'a\0b')
    await waitFor(page, 'zero.md is not a text file')
    await drop(page, 'large.md', 'x'.repeat(2_100_000))
    await waitFor(page, 'That is 2,100,000 bytes, and this page takes up to 2,000,000')
    const text = '\uFEFF# Certificates\r\n\r\nThe certificate authority signs the request.\r\n'.repeat(60)
    await drop(page, 'notes.md', text)
    await waitFor(page, 'Done:')
    const bytes = Buffer.byteLength(text).toLocaleString('en-US')
    expect(await page.locator('[id="~proof"]').textContent()).toContain(`exactly: all ${bytes} bytes`)
    await clear(page)
    expect(await page.locator('[id="~result"]').isVisible()).toBe(false)
  })

  it('gives up an older text for a newer one', async () => {
    const { page } = await open()
    await paste(
      page,
      Array.from({ length: 4000 }, (_, line) => `${line} ${EXAMPLE.slice(line, line + 90)}`).join('\n'),
    )
    await waitFor(page, 'Compressing')
    await paste(page, EXAMPLE)
    await waitFor(page, 'Done: 11.3 KB')
    expect(await page.locator('[id="~proof"]').textContent()).toContain('11,343')
  })

  it('says that the codec could not be loaded, and loads it with the next text', async () => {
    const { page } = await open()
    await page.route('**/assets/try-worker.*', (route) => route.abort())
    await paste(page, EXAMPLE)
    await waitFor(page, 'The program could not be loaded')
    await page.unroute('**/assets/try-worker.*')
    await paste(page, EXAMPLE)
    await waitFor(page, 'Done:')
  })

  it('says without scripts what it needs', async () => {
    const { page } = await open('/try', { javaScriptEnabled: false })
    expect(await page.locator('main').innerText()).toContain('This page needs JavaScript')
    expect(await page.locator('[id="~text"]').isVisible()).toBe(false)
  })

  it('is accessible on a phone and a wide screen, and nothing is wider than the window', async () => {
    const { page } = await open('/try#example', { bypassCSP: true })
    for (const path of ['/try#example', '/docs', '/docs/errors/quota_exceeded']) {
      await page.goto(`${server.url}${path}`)
      if (path.startsWith('/try')) await waitFor(page, 'Done:')
      await page.addScriptTag({ content: axe })
      for (const [width, colorScheme] of [
        [320, 'light'],
        [1280, 'dark'],
      ] as const) {
        await page.setViewportSize({ width, height: 800 })
        await page.emulateMedia({ colorScheme })
        const wide = await page.evaluate(() =>
          [...document.querySelectorAll('main *')]
            .filter((element) => {
              const { right, width } = element.getBoundingClientRect()
              return width > 0 && right > innerWidth + 1 && element.closest('pre, .try-text') === null
            })
            .map((element) => element.outerHTML.slice(0, 90)),
        )
        expect([path, ...wide]).toEqual([path])
        const found = await page.evaluate(async () => {
          const { violations } = await (
            globalThis as unknown as {
              axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
            }
          ).axe.run()
          return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
        })
        expect([path, ...found]).toEqual([path])
      }
    }
  })
})
