import type { SkippedVersion } from '@packs/catalog'
import type { Command } from 'commander'
import type { Exit } from '../../command-error.ts'
import type { Host } from '../../host.ts'
import { addDataOption, readServiceUrls, requireCatalog, withCatalog } from '../../services/open-services.ts'

const HELP = `
Makes the search index from all versions. Publishing keeps the index complete, so this is needed only after an upgrade that says so, or if \`pack verify\` reports damage. Stop all servers and workers first. It is one transaction: if it is interrupted, the index is as before. Versions with a damaged document are listed and skipped.

Examples:
  $ pack index --json`

export function configure(command: Command): void {
  addDataOption(command).addHelpText('after', HELP)
}

export async function run(command: Command, host: Host): Promise<Exit> {
  const { json = false } = command.opts<{ readonly json?: boolean }>()
  const urls = readServiceUrls(command)
  await requireCatalog(urls)
  const { packs, versions, skipped } = await withCatalog(
    urls,
    async ({ search }) => {
      const progress = host.startProgress('indexing', 0, json)
      return search.rebuild(progress.show).finally(progress.stop)
    },
    { anyIndex: true },
  )
  const ok = skipped.length === 0
  if (json) host.writeJson({ ok, packs, versions, skipped })
  else {
    for (const version of skipped) host.writeResult(`${formatSkipped(host, version)}\n`)
    const counts = `${host.formatCount(versions)} version${versions === 1 ? '' : 's'} of ${host.formatCount(packs)}`
    const verb = host.styleResult(ok ? 'green' : 'yellow', 'indexed')
    const rest = ok ? '' : `, ${host.formatCount(skipped.length)} skipped`
    host.writeResult(`${verb} ${counts} pack${packs === 1 ? '' : 's'}${rest}\n`)
  }
  return ok ? 'done' : 'findings'
}

function formatSkipped(host: Host, { slug, version, sequence, reason }: SkippedVersion): string {
  const name = host.escapeControls(version === '' ? slug : `${slug}@${version}`)
  const hint = '  hint: run `pack verify --all`, and restore a backup'
  return `${host.styleResult('red', 'skipped')} ${name} (sequence ${sequence})\n  ${host.escapeControls(reason)}\n${hint}`
}
