import type { NewVersion } from '@packs/catalog'
import { buildVersion } from '../../test-kit/test/build-version.ts'
import { startApi, type TestApi } from '../../test-kit/test/start-api.ts'

/** Long enough that a header pays for itself. */
const RULES = Array.from(
  { length: 12 },
  (_, rule) =>
    `Rule ${rule}: the certificate authority signs the client certificate of machine ${rule} only after the certificate authority has checked its domain validation record.\n`,
).join('')

const TLS = `Before the first heading.

# TLS certificates

${RULES}
## Rotation

Rotate a client certificate before the client certificate expires; the certificate authority signs the new client certificate.

### Time

Thirty days before.

## Revocation

The certificate authority publishes what it revoked.
`

const HTTP = `# HTTP status codes

## Client errors

The status code 404 says that the status code of a resource is unknown. The status code 429 says: too many requests.

## Server errors

The status code 503 says that the server cannot answer. Read the header Retry-After.
`

/** The packs of the test server: one of two versions, one with a header, a plain one. */
export async function buildSamples(): Promise<readonly NewVersion[]> {
  return [
    await buildVersion({ slug: 'tls-certificates', title: 'TLS certificates', body: TLS }),
    await buildVersion({ slug: 'http-status-codes', title: 'HTTP status codes', body: HTTP }),
    await buildVersion({
      slug: 'plain',
      title: 'Plain text',
      body: '# Plain\n\nNothing repeats.\n',
      scheme: 'none',
    }),
  ]
}

/** Starts the real API with the samples, and a second version of the first pack. */
export async function startCatalog(): Promise<TestApi> {
  const samples = await buildSamples()
  const api = await startApi({ versions: samples })
  const body = `${TLS}\n## Renewal\n\nThe certificate authority renews the client certificate.\n`
  await api.catalog.packs.commit([
    await buildVersion({
      slug: 'tls-certificates',
      title: 'TLS certificates',
      body,
      version: '1.1.0',
      parent: '1.0.0',
    }),
  ])
  return api
}
