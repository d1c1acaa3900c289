import { openCatalog } from '@packs/catalog'
import { makeVersion } from '../../../test-kit/test/make-version.ts'

// Commits releases of three packs, forever or a given number of times, and prints their sequence numbers.
const [url = '', prefix = '', count = 'Infinity'] = process.argv.slice(2)
const catalog = await openCatalog({ url })
for (let index = 0; index < Number(count); index++) {
  const results = await catalog.packs.commit(
    ['a', 'b', 'c'].map((member) => makeVersion({ slug: `${prefix}-${index}-${member}` })),
  )
  process.stdout.write(`${results.map(({ sequence }) => sequence).join(' ')}\n`)
}
await catalog.close()
