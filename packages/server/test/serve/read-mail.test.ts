import { expect, it } from 'vitest'
import { readContact, readMail } from '../../src/serve/read-settings.ts'

const from = 'packs@example.org'
const sender = { name: '', address: from }

it.each([
  [
    'smtp://mail.example.org',
    { host: 'mail.example.org', port: 587, security: 'starttls', login: undefined },
  ],
  ['smtp://mail.example.org:25?tls=off', { port: 25, security: 'none' }],
  ['smtps://mail.example.org', { port: 465, security: 'tls' }],
  ['smtps://localhost:4465/', { port: 4465, security: 'tls' }],
  ['smtp://localhost:1025', { host: 'localhost', port: 1025, security: 'none' }],
  ['smtp://[::1]:1025', { host: '::1', security: 'none' }],
  ['smtp://packs%40x:p%2Fw%25@mail.example.org', { login: { user: 'packs@x', pass: 'p/w%' } }],
])('reads %s', (url, settings) => {
  expect(readMail({ PACK_SMTP_URL: url, PACK_SMTP_FROM: from })).toMatchObject({ ...settings, from: sender })
})

it.each([
  ['Packs <packs@example.org>', { name: 'Packs', address: from }],
  ['"Packs, Inc." <packs@example.org>', { name: 'Packs, Inc.', address: from }],
  [' packs@localhost ', { name: '', address: 'packs@localhost' }],
])('reads the sender %s', (text, expected) => {
  expect(readMail({ PACK_SMTP_URL: 'smtp://localhost', PACK_SMTP_FROM: text })?.from).toEqual(expected)
})

it('sends no mail without variables', () => {
  expect(readMail({})).toBeUndefined()
  expect(readMail({ PACK_SMTP_URL: '', PACK_SMTP_FROM: '' })).toBeUndefined()
})

it.each([
  ['mail.example.org', from],
  ['https://hunter2@mail.example.org', from],
  ['smtp://', from],
  ['smtp://user:hunter2@mail.example.org/path', from],
  ['smtp://user:hunter2@mail.example.org?tls=maybe', from],
  ['smtps://user:hunter2@mail.example.org?tls=off', from],
  ['smtp://user:hunter2@mail.example.org#x', from],
  ['smtp://:hunter2@mail.example.org', from],
  ['smtp://user:hunter2%zz@mail.example.org', from],
  ['smtp://user:hunter2@mail.example.org:99999', from],
  ['smtp://user:hunter2@mail.example.org', ''],
  ['', from],
  ['smtp://localhost', 'packs'],
  ['smtp://localhost', 'a@example.org, b@example.org'],
  ['smtp://localhost', 'Packs\r\nBcc: eve@example.org <packs@example.org>'],
  ['smtp://localhost', '<packs@example.org'],
])('refuses %j from %j, without repeating a password', (url, sender) => {
  const read = (): unknown => readMail({ PACK_SMTP_URL: url, PACK_SMTP_FROM: sender })
  expect(read).toThrow(expect.objectContaining({ code: 'usage' }))
  expect(read).not.toThrow(/hunter2/)
})

it.each([
  ['packs@example.org', 'packs@example.org'],
  [' https://example.org/pro?from=packs ', 'https://example.org/pro?from=packs'],
  ['', undefined],
])('reads the contact %j', (text, contact) => {
  expect(readContact({ PACK_CONTACT: text })).toBe(contact)
})

it.each([
  'javascript:alert(1)',
  'ask Ada',
  'https://',
  'https://ada:hunter2@example.org',
  'mailto:a@example.org',
])('refuses the contact %j, without repeating it', (text) => {
  const read = (): unknown => readContact({ PACK_CONTACT: text })
  expect(read).toThrow(expect.objectContaining({ code: 'usage' }))
  expect(read).not.toThrow(/hunter2/)
})
