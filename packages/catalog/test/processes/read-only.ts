import { openCatalog } from '@packs/catalog'

// Reads a catalog as an unprivileged user and prints the result. Loads the library first, which that user may be unable to read.
await (await openCatalog({ url: ':memory:' })).close()
if (process.getuid?.() === 0) process.seteuid?.(65_534)

const [url = ''] = process.argv.slice(2)
const refusal = ({ code, message, hint }: { code: string; message: string; hint: string }): unknown => ({
  code,
  message,
  hint,
})
let found: unknown
try {
  const catalog = await openCatalog({ url, readOnly: true })
  const versions = (await catalog.packs.versions('tls')).map(({ version }) => version)
  const { damaged } = (await catalog.packs.examine('tls', '1.0.0'))!
  const write = await catalog.sources.put(Buffer.from('new')).then(
    () => 'written',
    (error: unknown) => (error as { code: string }).code,
  )
  found = { versions, damaged, jobs: (await catalog.jobs.list(9)).length, write }
  await catalog.close()
} catch (error) {
  found = refusal(error as Parameters<typeof refusal>[0])
}
process.stdout.write(JSON.stringify(found))
