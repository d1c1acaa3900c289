import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCatalog, type Catalog } from '@packs/catalog'
import { readSource, type PublishRequest } from '@packs/publisher'
import { onTestFinished } from 'vitest'
import { actor } from '../../test-kit/test/make-version.ts'

/** Writes the text of a source: front matter with a slug, and a body. */
export function writeSource(slug: string, body: string, fields = ''): string {
  return `---\nslug: ${slug}\ntitle: A title\ndomain: Guides\nsubdomain: Tests\ndifficulty: beginner\n${fields}---\n${body}`
}

/** Creates a request to publish a source. */
export function request(text: string, options: Partial<PublishRequest> = {}): PublishRequest {
  return { ...readSource({ bytes: Buffer.from(text), path: 'a.md' }), actor, ...options }
}

/** Creates a temporary folder. */
export function createFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'publisher-test-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Opens a new catalog in a file that is removed after the test. Another process can open it by `url`. */
export async function openTestCatalog(): Promise<{ readonly catalog: Catalog; readonly url: string }> {
  const folder = createFolder()
  onTestFinished(folder.remove)
  const url = join(folder.path, 'catalog.sqlite')
  const catalog = await openCatalog({ url })
  onTestFinished(() => catalog.close())
  return { catalog, url }
}
