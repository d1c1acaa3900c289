import { readSource, type PublishRequest } from '@packs/publisher'
import { actor } from '../../test-kit/test/make-version.ts'

export { openTestCatalog } from '../../test-kit/test/test-database.ts'

/** Writes the text of a source: front matter with a slug, and a body. */
export function writeSource(slug: string, body: string, fields = ''): string {
  return `---\nslug: ${slug}\ntitle: A title\ndomain: Guides\nsubdomain: Tests\ndifficulty: beginner\n${fields}---\n${body}`
}

/** Creates a request to publish a source. */
export function request(text: string, options: Partial<PublishRequest> = {}): PublishRequest {
  return { ...readSource({ bytes: Buffer.from(text), path: 'a.md' }), actor, ...options }
}
