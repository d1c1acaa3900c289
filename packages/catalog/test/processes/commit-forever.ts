import { openCatalog } from '@packs/catalog'
import { makeVersion } from '../make-version.ts'

// Commits releases of three packs until it is killed or made as many as asked, and says each number it was given.
const [url = '', prefix = '', count = 'Infinity'] = process.argv.slice(2)
const catalog = await openCatalog({ url })
for (let index = 0; index < Number(count); index++) {
  const results = await catalog.packs.commit(
    ['a', 'b', 'c'].map((member) => makeVersion({ slug: `${prefix}-${index}-${member}` })),
  )
  process.stdout.write(`${results.map(({ sequence }) => sequence).join(' ')}\n`)
}
await catalog.close()
