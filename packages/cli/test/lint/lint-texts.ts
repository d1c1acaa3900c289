import { loadTokenizer } from '@packs/codec/compress'
import { parseSource } from '@packs/codec/pack'
import { createLintDocument, type LintDocument } from '../../src/lint/document/lint-document.ts'
import type { Finding } from '../../src/lint/rule.ts'
import { ruleTable } from '../../src/lint/rule-table.ts'

await loadTokenizer('o200k_base')

/** Reads a text as the rules do. */
export function readDocument(text: string, path = 'a.md'): LintDocument {
  const { source, messages } = parseSource(text, { path })
  if (source === undefined) throw new Error(messages.map(({ reason }) => reason).join('; '))
  return createLintDocument(source, path)
}

/** Checks texts, named a.md, b.md and so on, with one rule. */
export function lintTexts(name: string, texts: string | readonly string[]): Finding[] {
  const check = ruleTable.find((rule) => rule.name === name)!.createCheck()
  const documents = [texts].flat().map((text, at) => readDocument(text, `${'abcdefgh'.charAt(at)}.md`))
  return [...documents.flatMap((document) => check.visit(document)), ...(check.finish?.() ?? [])]
}

/** Returns the places of findings as `a.md:1:2`. */
export function listLocations(findings: readonly Finding[]): string[] {
  return findings.flatMap(({ places }) => places.map(({ file, line, column }) => `${file}:${line}:${column}`))
}
