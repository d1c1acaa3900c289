import type { Pack } from '../../src/pack/index.ts'

/**
 * A pack written by hand. Its digests and id were computed by another program, its counts by the tokenizer's library. It is
 * so small that the header costs more than it saves.
 */
export const samplePack: Pack = {
  format: 'packs/1',
  id: 'pk_cnn6knb7cfs24erc6k0namqbt5',
  slug: 'tls-basics',
  title: 'TLS basics – é',
  domain: 'Web security',
  domain_slug: 'web-security',
  subdomain: 'Transport',
  version: '1.2.0',
  difficulty: 'beginner',
  compression: 'glossary-1',
  tokenizer: 'o200k_base',
  token_count: 30,
  uncompressed_estimate: 35,
  savings_pct: 14.29,
  rosetta_tokens: 10,
  net_savings_pct: -14.29,
  sha256: 'd10723da14b631630aec1571ce1c12d24cda385c8413f5458de3f97e321a60e0',
  pack_digest: '9e7e8bb69a8a7e20415a3bab568f744276b9cdfc2a735713318cafc4df4a0f92',
  preview_tokens: 5,
  preview_content: '# CTL\n\nEvery',
  rosetta: '[DECODE] CTL=certificate transparency log',
  content: '# CTL\n\nEvery CTL is public, and a CTL only grows: what a CTL holds, a CTL never forgets.\n',
}
