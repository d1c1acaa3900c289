import type { PackCheck } from '@packs/codec/pack'
import type { Command } from 'commander'
import { exitStatus, type ExitStatus } from '../exit-status.ts'
import type { FoundFile } from '../input/find-files.ts'
import { findPacks } from '../input/find-packs.ts'
import { MAX_PACK_BYTES, readBounded } from '../input/read-bounded.ts'
import { escapeControls, styleResult, writeJson, writeNote, writeResult } from '../output/terminal.ts'
import { describeError, type Problem } from '../output/report-error.ts'

const HELP = `
Inputs are packs, globs, folders (every .pack.json file in them, recursively) and - for stdin. For each pack, the schema, id
and digests are checked, the content is decoded and compared with the digest of the source, and every figure is recounted.

Examples:
  $ pack check dist/tls.pack.json
  $ pack check dist/ --json`

export function configure(command: Command): void {
  command.argument('<inputs...>', 'packs, globs, folders, or - for stdin').addHelpText('after', HELP)
}

export async function run(command: Command): Promise<ExitStatus> {
  const found = findPacks(command.args)
  const results: CheckResult[] = []
  for (const file of found.files) results.push(await checkFile(file))
  for (const failure of found.failures) results.push(failedCheck(failure.file ?? '<stdin>', failure))
  const isOk = results.every(({ ok }) => ok)
  if (command.opts<{ json?: boolean }>().json) writeJson({ ok: isOk, packs: results })
  else {
    for (const result of results) writeResult(`${formatResult(result)}\n`)
    const failed = results.filter(({ ok }) => !ok).length
    if (failed > 0) writeNote(`${failed} of ${results.length} failed`)
  }
  return isOk ? exitStatus.done : exitStatus.findings
}

interface CheckResult {
  readonly file: string
  readonly ok: boolean
  readonly checks: readonly PackCheck[]
  /** Why the file could not be checked. */
  readonly error?: Problem
}

async function checkFile({ path, shown }: FoundFile): Promise<CheckResult> {
  try {
    const bytes = await readBounded(path, MAX_PACK_BYTES, shown)
    const { checkPack } = await import('@packs/codec/pack')
    const checks = await checkPack(bytes)
    return { file: shown, ok: checks.every(({ ok }) => ok), checks }
  } catch (error) {
    if (describeError(error).code === 'internal') throw error
    return failedCheck(shown, error)
  }
}

function failedCheck(file: string, error: unknown): CheckResult {
  return { file, ok: false, checks: [], error: describeError(error) }
}

function formatResult({ file, ok, checks, error }: CheckResult): string {
  const name = escapeControls(file)
  if (ok) return `${styleResult('green', 'ok')}     ${name}  ${checks.length} checks`
  const problems = error
    ? [`${error.code}: ${error.message}`, `  hint: ${error.hint}`]
    : checks
        .filter((check) => !check.ok)
        .flatMap(({ name: check, message, hint }) => [
          `${check}: ${message}`,
          ...(hint === undefined ? [] : [`  hint: ${hint}`]),
        ])
  return [
    `${styleResult('red', 'failed')} ${name}`,
    ...problems.map((problem) => `  ${escapeControls(problem)}`),
  ].join('\n')
}
