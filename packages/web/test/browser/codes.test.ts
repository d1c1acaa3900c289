import { type Page } from 'playwright-core'
import { expect, it, onTestFinished, vi } from 'vitest'
import { actor } from '../../../test-kit/test/make-version.ts'
import { openBrowser } from '../../../test-kit/test/open-browser.ts'
import { readLink, startMailServer } from '../mail/start-mail-server.ts'
import { startCatalogServer } from '../../../test-kit/test/start-server.ts'

const EMAIL = 'ann@example.com'
const PATIENT = { timeout: 60_000, interval: 20 }
let visitors = 0

const mailServer = await startMailServer()
const server = await startCatalogServer([], {
  PACK_SMTP_URL: `smtp://localhost:${mailServer.port}`,
  PACK_SMTP_FROM: 'Packs <packs@example.org>',
})
const browser = await openBrowser()

/** Opens a page without JavaScript, with its own client address, and collects the referrers that it sends. */
async function open(): Promise<{ page: Page; referrers: string[] }> {
  const extraHTTPHeaders = { 'x-forwarded-for': `10.0.0.${++visitors}` }
  const context = await browser.newContext({
    baseURL: server.url,
    extraHTTPHeaders,
    javaScriptEnabled: false,
  })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const referrers: string[] = []
  page.on('request', (request) => {
    const { referer } = request.headers()
    if (referer !== undefined) referrers.push(referer)
  })
  return { page, referrers }
}

async function fill(page: Page, action: string, fields: Record<string, string>): Promise<void> {
  const form = page.locator(`form[action="${action}"]`)
  for (const [label, value] of Object.entries(fields))
    await form.getByLabel(label, { exact: true }).fill(value)
  await form.getByRole('button').click()
}

/** Returns the link of the newest mail, once there are so many. */
async function waitForLink(count: number): Promise<string> {
  await vi.waitFor(() => expect(mailServer.mails).toHaveLength(count), PATIENT)
  return readLink(mailServer.mails[count - 1]!).href
}

it('signs up, confirms the address, forgets the password and sets a new one by links in mails', async () => {
  const { page, referrers } = await open()
  await page.goto('/settings/sign-up')
  await fill(page, '/settings/sign-up', { Email: EMAIL, Password: 'correct horse' })
  const verifyLink = await waitForLink(1)
  await page.goto(verifyLink)
  await page.getByText(`You are signed in as ${EMAIL}`).waitFor()
  await page.getByRole('button', { name: 'Confirm this email', exact: true }).click()
  await page.getByText('Your email is verified.').waitFor()
  expect(await page.getByText('not verified').count()).toBe(0)
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()

  await page.getByRole('link', { name: 'Forgot password?', exact: true }).click()
  await fill(page, '/settings/forgot', { Email: EMAIL })
  await page.getByText('a mail with a code is on its way').waitFor()
  const resetLink = await waitForLink(2)
  await page.goto(resetLink)
  await fill(page, '/settings/code', { Email: EMAIL, 'New password': 'battery staple' })
  await page.getByText('Your new password is set').waitFor()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await fill(page, '/settings/sign-in', { Email: EMAIL, Password: 'battery staple' })
  await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor()

  for (const code of [verifyLink, resetLink].map((link) => new URL(link).searchParams.get('code')!)) {
    expect(referrers.join(' ')).not.toContain(code)
    expect(server.log.join('\n')).not.toContain(code)
  }
  expect(server.log.join('\n')).not.toMatch(/ann@example\.com|correct horse|battery staple/)
})

it('takes the code of an operator after the account was reset', async () => {
  await server.catalog.accounts.create({ email: 'bob@example.com', tier: 'pro', actor })
  const { code } = await server.catalog.accounts.reset('bob@example.com', { actor, now: new Date() })
  const { page } = await open()
  await page.goto('/settings')
  await page.getByRole('link', { name: 'I have a code', exact: true }).click()
  const fields = { Email: 'bob@example.com', 'New password': 'correct horse' }
  await fill(page, '/settings/code', { ...fields, Code: 'AAAAA' })
  await page.getByText('The code is wrong, used or expired').waitFor()
  await fill(page, '/settings/code', { ...fields, Code: code!.text.toLowerCase() })
  await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
  expect(await page.locator('.chip-tier').first().textContent()).toBe('Pro')
})
