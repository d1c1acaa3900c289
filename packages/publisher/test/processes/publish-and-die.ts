import { openCatalog } from '@packs/catalog'
import { createInProcessRunner } from '@packs/publisher'
import { request, writeSource } from '../sources.ts'

// Publishes two sources, one by one or as a release, and kills itself right before or right after the first commit.
const [url = '', when = '', kind = ''] = process.argv.slice(2)
const catalog = await openCatalog({ url })
const die = (): Promise<never> => {
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => undefined)
}
const runner = createInProcessRunner({
  ...catalog,
  packs: {
    ...catalog.packs,
    async commit(versions) {
      if (when === 'after') await catalog.packs.commit(versions)
      return die()
    },
  },
})
const requests = ['a', 'b'].map((slug) => request(writeSource(slug, `# ${slug}\n`)))
await (kind === 'release' ? runner.release('r', requests) : runner.publish(requests))
