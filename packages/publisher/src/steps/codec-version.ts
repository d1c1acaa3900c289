import { createRequire } from 'node:module'

const manifest = createRequire(import.meta.url)('@packs/codec/package.json') as { readonly version: string }

/** Version of the codec that builds here, as provenance records it. */
export const codecVersion: string = manifest.version
