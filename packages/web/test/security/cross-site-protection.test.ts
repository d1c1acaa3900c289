import { expect, it } from 'vitest'
import { checkOrigin } from '../../src/security/cross-site-protection.ts'

const HERE = 'https://packs.example'

it.each([
  { origin: HERE },
  { origin: HERE, 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'same-origin' },
  { origin: 'null', 'sec-fetch-site': 'same-origin' },
])('accepts a form with %j', (headers) => {
  expect(() => checkOrigin(headers, HERE)).not.toThrow()
})

it.each([
  {},
  { origin: 'null' },
  { origin: 'null', 'sec-fetch-site': 'cross-site' },
  { origin: 'http://packs.example' },
  { origin: 'https://packs.example.evil.example' },
  { origin: HERE, 'sec-fetch-site': 'cross-site' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'none' },
])('rejects a form with %j', (headers) => {
  expect(() => checkOrigin(headers, HERE)).toThrow(expect.objectContaining({ code: 'cross_site_request' }))
})
