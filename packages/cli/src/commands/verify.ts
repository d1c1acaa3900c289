import type { Verification } from '@packs/publisher'
import type { Command } from 'commander'
import { exitStatus, type ExitStatus } from '../exit-status.ts'
import { styleResult, writeJson, writeResult } from '../output/terminal.ts'
import { BUILD_SECONDS_HELP, readBuildSeconds } from '../services/build-seconds.ts'
import { addDataOption, readServiceUrls, withReadOnlyCatalog } from '../services/open-services.ts'
import { parseVersionName } from '../services/version-name.ts'

const HELP = `
Checks the document as \`pack check\` does, compares it with every catalog column that can be derived from it, from other
versions or from its provenance, and compares the stored source with its recorded digest. The publishing time cannot be derived
and is not checked. If the version was built with the installed codec, it is built again and must give the same bytes.
${BUILD_SECONDS_HELP}

Examples:
  $ pack verify tls-basics@1.2.0
  $ pack verify tls-basics@1.2.0 --json`

export function configure(command: Command): void {
  addDataOption(command).argument('<version>', 'a version, as SLUG@VERSION').addHelpText('after', HELP)
}

export async function run(command: Command): Promise<ExitStatus> {
  const { slug, version } = parseVersionName(command.args[0] ?? '')
  const { createBuildThread, verifyVersion } = await import('@packs/publisher')
  const thread = createBuildThread(readBuildSeconds())
  const found = await withReadOnlyCatalog(readServiceUrls(command), (catalog) =>
    verifyVersion(catalog, slug, version, thread.build),
  )
  await thread.close()
  if (command.opts<{ json?: boolean }>().json) {
    const { ok, yanked, checks, rebuild, skipped, codecVersion } = found
    writeJson({ ok, slug, version, yanked, rebuild, skipped, codec_version: codecVersion, checks })
  } else showVerification(`${slug}@${version}`, found)
  return found.ok ? exitStatus.done : exitStatus.findings
}

function showVerification(name: string, { ok, checks, rebuild, skipped, codecVersion }: Verification): void {
  const passed = checks.filter((check) => check.ok).length
  writeResult(
    `${styleResult(ok ? 'green' : 'red', ok ? 'ok' : 'failed')} ${name}  ${passed} of ${checks.length} checks\n`,
  )
  for (const check of checks.filter(({ ok: isOk }) => !isOk)) {
    writeResult(`  ${check.name}: ${check.message}\n`)
    if (check.hint !== undefined) writeResult(`    hint: ${check.hint}\n`)
  }
  const rebuilt = {
    same: `built again with codec ${codecVersion}: the same document`,
    differs: `built again with codec ${codecVersion}: a different document`,
    skipped: `not built again: ${skipped}`,
  }
  writeResult(`  ${rebuilt[rebuild]}\n`)
}
