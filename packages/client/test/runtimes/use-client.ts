import type * as ClientModule from '../../src/index.ts'

/** Asks documents without anything that a runtime may lack: no test framework, file or dependency. */
export async function useClient(
  { createClient, openDocs }: typeof ClientModule,
  options: ClientModule.ClientOptions,
): Promise<readonly string[]> {
  const { version } = await createClient(options).packs.get('tls-certificates@^1')
  const docs = await openDocs(options)
  const { sections } = await docs.search('rotate a client certificate', { limit: 1 })
  const { text, packs } = await docs.prompt(['tls-certificates@^1', 'http-status-codes'])
  const found = await docs.context('rotate a client certificate', { budget: 500 })
  const names = [...sections, ...found.passages].map(({ pack, section }) => `${pack}#${section ?? ''}`)
  return [...names, version, text, packs.map(({ digest }) => digest).join()]
}
