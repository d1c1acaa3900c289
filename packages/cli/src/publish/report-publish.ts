import { writeDiagnostics } from '../output/diagnostic.ts'
import { styleNote, styleResult, writeJson, writeNote, writeResult, type Style } from '../output/terminal.ts'
import type { PublishLine } from './publish-line.ts'

/** Prints what became of each input: as one JSON document, or results on stdout and what went wrong on stderr. */
export function reportPublish(
  lines: readonly PublishLine[],
  {
    json,
    release,
    dryRun,
  }: { readonly json?: boolean; readonly release?: string; readonly dryRun?: boolean },
): void {
  const isOk = lines.every(({ code }) => code === null)
  if (json) {
    writeJson({
      ok: isOk,
      release: release ?? null,
      ...(dryRun && { dry_run: true }),
      published: lines.map((line) => describeLine(line)),
    })
    return
  }
  for (const line of lines) showLine(line, dryRun === true)
  const failed = lines.filter(({ code }) => code !== null).length
  if (failed > 0) writeNote(styleNote('red', `${failed} of ${lines.length} failed`))
  else if (dryRun) writeNote('nothing was published: --dry-run')
}

function describeLine({
  shown: file,
  slug,
  id,
  version,
  status,
  level,
  reasons,
  code,
  message,
  hint,
  job,
  diagnostics: messages,
}: PublishLine): unknown {
  return { file, slug, id, version, status, bump: level, reasons, code, message, hint, job, messages }
}

const STYLES: Readonly<Record<PublishLine['status'], Style>> = {
  published: 'green',
  unchanged: 'dim',
  queued: 'cyan',
  conflict: 'red',
  failed: 'red',
}

function showLine(line: PublishLine, isPlan: boolean): void {
  const { slug, shown, version, status, reasons, code, message, hint, job, diagnostics } = line
  writeDiagnostics(diagnostics)
  if (code !== null) {
    writeNote(`${shown} ${styleNote('red', status)} ${message} ${styleNote('dim', code)}`)
    if (hint !== null) writeNote(`  ${styleNote('dim', 'hint:')} ${hint}`)
    return
  }
  const verb = isPlan && status === 'published' ? 'would publish' : status
  const name = version === null ? `${slug} as job ${job}` : `${slug}@${version}`
  writeResult(`${styleResult(STYLES[status], verb)} ${name}\n`)
  for (const reason of reasons) writeResult(`  ${reason}\n`)
}
