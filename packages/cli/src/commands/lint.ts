import { resolve } from 'node:path'
import type { Command } from 'commander'
import { exitStatus, type ExitStatus } from '../cli-error.ts'
import { loadConfig } from '../config/load-config.ts'
import { addSourceOptions, type SourceOptions, parseCount } from '../input/options.ts'
import { chooseRules, findRule, type RuleChoice, ruleTable } from '../lint/rule-table.ts'
import type { LintResult } from '../lint/lint-sources.ts'
import {
  describeLint,
  describeRule,
  explainRule,
  formatRules,
  formatSummary,
  toDiagnostics,
} from '../lint/lint-sources.ts'
import type { Rule } from '../lint/rule.ts'
import { SECTION_TOKENS } from '../lint/rules/structure-rules.ts'
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

A rule is switched off with --off, with "lint": { "rules": { "RULE": "off" } } in the configuration, and for one file with the
same under lint: in its front matter. Tokens are those that following a finding saves.

Examples:
  $ pack lint docs/
  $ pack lint docs/ --off padded-table,long-section
  $ pack lint --only vague-link-text --max-warnings 0 --format github
  $ pack lint --explain near-duplicate-phrase
  $ cat notes.md | pack lint - --json
  $ cat page.mdx | pack lint - --stdin-name page.mdx`

/** Options of `pack lint` as parsed by commander. */
interface LintCommandOptions extends DiagnosticOptions, SourceOptions, RuleChoice {
  readonly sectionTokens: number
  readonly rules?: boolean
  readonly explain?: string
  readonly json?: boolean
}

export function configure(command: Command): void {
  addDiagnosticOptions(addSourceOptions(command))
    .argument('[inputs...]', 'files, globs, folders, or - for stdin')
    .option('--off <rules>', 'rules to switch off, with commas between them', parseNames)
    .option('--only <rules>', 'the only rules to check', parseNames)
    .option('--section-tokens <count>', 'most tokens of a section', parseCount, SECTION_TOKENS)
    .option('--rules', 'list the rules')
    .option('--explain <rule>', 'explain a rule with an example')
    .addHelpText('after', HELP)
}

function parseNames(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(',').map((name) => name.trim())]
}

export async function run(command: Command): Promise<ExitStatus | void> {
  const options = command.opts<LintCommandOptions>()
  const { json = false, explain } = options
  if (explain !== undefined) return showExplanation(findRule(explain), json)
  if (options.rules) return showRules(json)
  return reportResult(await lint(command.args, options), options)
}

async function lint(inputs: readonly string[], options: LintCommandOptions): Promise<LintResult> {
  const cwd = process.cwd()
  const loaded = await loadConfig(cwd, options.config)
  const rules = chooseRules(options, loaded)
  const { createSourceSearch, resolveSources } = await import('../config/resolve-sources.ts')
  const { lintSources } = await import('../lint/lint-sources.ts')
  const folder =
    loaded?.config.out === undefined ? resolve(cwd, 'dist') : resolve(loaded.folder, loaded.config.out)
  const search = createSourceSearch(inputs, options, cwd, folder, loaded)
  return lintSources(await resolveSources(search), rules, { sectionTokens: options.sectionTokens })
}

/** Prints all messages: they are what was asked for, so none is folded. */
function reportResult(result: LintResult, options: LintCommandOptions): ExitStatus {
  const diagnostics = toDiagnostics(result, options.verbose ?? false)
  const { errors, isOverLimit } = options.json
    ? countDiagnostics(diagnostics, options)
    : reportDiagnostics(diagnostics, { ...options, verbose: true })
  const isOk = errors === 0 && !isOverLimit
  if (options.json) writeJson(describeLint(result, isOk))
  else if (!options.quiet) writeLines(formatSummary(result, ruleTable))
  return isOk ? exitStatus.done : exitStatus.findings
}

function showRules(json: boolean): void {
  if (json) writeJson({ ok: true, rules: ruleTable.map(describeRule) })
  else writeLines(formatRules(ruleTable))
}

function showExplanation(rule: Rule, json: boolean): void {
  if (json) writeJson({ ok: true, ...(describeRule(rule) as object) })
  else writeLines(explainRule(rule))
}

function writeLines(lines: readonly string[]): void {
  writeResult(`${lines.join('\n')}\n`)
}
