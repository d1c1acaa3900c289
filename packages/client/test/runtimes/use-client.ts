import type * as ClientModule from '../../src/index.ts'

/** Uses a client without anything that a runtime may lack: no test framework, file or dependency. */
export async function useClient(
  { createClient }: typeof ClientModule,
  options: ClientModule.ClientOptions,
): Promise<readonly string[]> {
  const client = createClient(options)
  const found: string[] = []
  for await (const { pack, section } of client.search('rotate a client certificate', { limit: 1 }))
    found.push(`${pack.slug} ${section?.id ?? ''}`)
  const { version } = await client.packs.get('tls-certificates@^1')
  const { text, from } = await client.prompt(['tls-certificates@^1', 'http-status-codes'])
  return [...found, version, text, from.map(({ pack_digest }) => pack_digest).join()]
}
