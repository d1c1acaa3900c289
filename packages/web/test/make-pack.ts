import type { NewVersion } from '@packs/catalog'
import type { Pack } from '@packs/codec/pack'
import { makeVersion } from '../../test-kit/test/make-version.ts'

/** The fields of a pack that a test sets. The others have defaults. */
export interface PackSketch extends Partial<Pack> {
  readonly slug: string
  readonly content: string
  readonly tokens?: number
  /** Net savings in per cent. */
  readonly saved?: number
}

/** Creates a sealed version with the given figures, whether they are true or not. */
export function makePack(sketch: PackSketch): NewVersion {
  const { content, rosetta = '[DECODE]', tokens = 700, saved = 20, ...given } = sketch
  const { domain = 'Web security', domain_slug = 'web-security' } = sketch
  const figures = { domain, domain_slug, tokens, headerTokens: 100, savings: saved }
  return makeVersion({
    subdomain: 'Transport',
    preview_content: content.slice(0, 20),
    ...given,
    ...figures,
    content,
    compression: rosetta === '[DECODE]' ? 'none' : 'minify-1',
    uncompressed_estimate: 1000,
    savings_pct: 30,
    preview_tokens: 3,
    rosetta,
  })
}
