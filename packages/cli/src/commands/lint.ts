import { resolve } from 'node:path'
import type { Command } from 'commander'
import { exitStatus, type ExitStatus } from '../cli-error.ts'
import { loadConfig } from '../config/load-config.ts'
import { addSourceOptions, type SourceOptions } from '../input/options.ts'
import { chooseRules, ruleTable } from '../lint/rule-table.ts'
import type { LintResult } from '../lint/lint-sources.ts'
import { describeLint, formatSummary, toDiagnostics } from '../lint/lint-sources.ts'
import {
  addDiagnosticOptions,
  countDiagnostics,
  type DiagnosticOptions,
  reportDiagnostics,
} from '../output/report-diagnostics.ts'
import { writeJson, writeResult } from '../output/terminal.ts'

const HELP = `
Inputs are found as by pack build. Nothing is rewritten. Text in code, front matter and verbatim regions is not checked; neither
are the words of changelogs and release notes. No finding is an error, so the exit status is 0 unless --max-warnings is exceeded,
the configuration makes a rule an error, or a source cannot be read.

A rule is switched off with "lint": { "rules": { "RULE": "off" } } in the configuration, and for one file with the same under lint:
in its front matter. Tokens are those that following a finding saves. docs/lint.md explains the rules.

Examples:
  $ pack lint docs/
  $ pack lint docs/ --max-warnings 0
  $ cat notes.md | pack lint - --json
  $ cat page.mdx | pack lint - --stdin-name page.mdx`

/** Options of `pack lint` as parsed by commander. */
interface LintCommandOptions extends DiagnosticOptions, SourceOptions {
  readonly json?: boolean
}

export function configure(command: Command): void {
  addDiagnosticOptions(addSourceOptions(command))
    .argument('[inputs...]', 'files, globs, folders, or - for stdin')
    .addHelpText('after', HELP)
}

export async function run(command: Command): Promise<ExitStatus | void> {
  const options = command.opts<LintCommandOptions>()
  return reportResult(await lint(command.args, options), options)
}

async function lint(inputs: readonly string[], options: LintCommandOptions): Promise<LintResult> {
  const cwd = process.cwd()
  const loaded = await loadConfig(cwd, options.config)
  const rules = chooseRules(loaded)
  const { createSourceSearch, resolveSources } = await import('../config/resolve-sources.ts')
  const { lintSources } = await import('../lint/lint-sources.ts')
  const folder =
    loaded?.config.out === undefined ? resolve(cwd, 'dist') : resolve(loaded.folder, loaded.config.out)
  const search = createSourceSearch(inputs, options, cwd, folder, loaded)
  return lintSources(await resolveSources(search), rules)
}

/** Prints all messages: they are what was asked for, so none is folded. */
function reportResult(result: LintResult, options: LintCommandOptions): ExitStatus {
  const diagnostics = toDiagnostics(result, options.verbose ?? false)
  const { errors, isOverLimit } = options.json
    ? countDiagnostics(diagnostics, options)
    : reportDiagnostics(diagnostics, { ...options, verbose: true })
  const isOk = errors === 0 && !isOverLimit
  if (options.json) writeJson(describeLint(result, isOk))
  else if (!options.quiet) writeResult(`${formatSummary(result, ruleTable).join('\n')}\n`)
  return isOk ? exitStatus.done : exitStatus.findings
}
