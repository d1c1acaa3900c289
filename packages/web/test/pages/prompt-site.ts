import type { NewVersion } from '@packs/catalog'
import { buildVersion } from '../../../test-kit/test/build-version.ts'
import { makePack } from '../make-pack.ts'
import { startSite, type Site } from '../start-site.ts'

export const TLS = `# TLS\n\nA first sentence about keys.\n\n${'The certificate authority signs the certificate signing request.\n\n'.repeat(30)}## Rotation\n\nRotate with a quokka.\n`
export const DNS = `# DNS\n\nNames have records.\n\n${'The certificate authority signs the certificate signing request of a name server.\n\n'.repeat(20)}## Zones\n\nA zone is a part.\n`
/** In the header of `hostile`, and nowhere else. */
export const HEADER_WORD = 'numbat'
/** In the text beyond the previews, and nowhere else. */
export const HIDDEN_WORD = 'quokka'

const HOSTILE =
  '# A <b>bold</b>\n\n§ "onclick="x" \u202Eturned </pre><script>alert(1)</script>\n\n## Rest\n\nA quokka and ¶ §.\n'

/** Starts the pages with packs whose hidden words are known. */
export async function startPromptSite(): Promise<{ site: Site; versions: readonly NewVersion[] }> {
  const versions = [
    await buildVersion({ slug: 'tls', title: 'TLS', body: TLS, scheme: 'dense-2' }),
    await buildVersion({ slug: 'dns', title: 'DNS', body: DNS }),
    makePack({
      slug: 'hostile',
      title: '<script>alert(1)</script>',
      content: HOSTILE,
      preview_content: HOSTILE.slice(0, HOSTILE.indexOf('## Rest')),
      rosetta: `[DECODE] §=<img src=x onerror=alert(1)>|¶=שלום עולם ${HEADER_WORD}`,
    }),
  ]
  return { site: await startSite(versions), versions }
}

/** Returns the text of the prompt that a page shows. */
export function readPrompt(body: string): string {
  const start = body.indexOf('>', body.indexOf('id="~prompt"')) + 1
  const shown = body.slice(start, body.indexOf('</pre', start)).replace(/^\n/, '')
  const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
  return shown.replace(/<[^<>]*>/g, '').replace(/&([^;]+);/g, (_, name: string) => entities[name]!)
}

/** Returns the tokens that a page says the prompt takes. */
export function readTokens(body: string): number {
  return Number(/class="paid-tokens">([\d,]+) token/.exec(body)![1]!.replaceAll(',', ''))
}
