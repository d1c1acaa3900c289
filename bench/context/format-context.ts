import { formatTable } from '../markdown-table.ts'
import type { Judgement } from './judge-answers.ts'
import type { McpFigures } from './measure-mcp.ts'

/** How questions of a kind are answered within a budget. */
export interface BudgetFigures {
  readonly name: string
  readonly budget: number
  readonly kind: string
  readonly questions: number
  /** Share of the questions whose answer has the section, from 0 to 1. */
  readonly answered: number
  /** Mean tokens of an answer, and of them those of no right section. */
  readonly tokens: number
  readonly unneeded: number
}

/** Returns figures of all questions with one part, and of each kind. */
export function summarise(name: string, budget: number, judged: readonly Judgement[]): BudgetFigures[] {
  const kinds = Map.groupBy(judged, ({ kind }) => kind)
  const single = judged.filter(({ kind }) => kind !== 'two parts')
  const groups = [['all', single] as const, ...[...kinds].toSorted(([a], [b]) => (a < b ? -1 : 1))]
  return groups.map(([kind, rows]) => {
    const mean = (value: (row: Judgement) => number): number =>
      rows.reduce((sum, row) => sum + value(row), 0) / Math.max(1, rows.length)
    return {
      name,
      budget,
      kind,
      questions: rows.length,
      answered: mean(({ answered }) => Number(answered)),
      tokens: mean(({ tokens }) => tokens),
      unneeded: mean(({ unneeded }) => unneeded),
    }
  })
}

/** Writes a table for each budget, and one of MCP. */
export function formatContext(
  set: string,
  questions: number,
  figures: readonly BudgetFigures[],
  mcp: readonly McpFigures[],
): string {
  const budgets = [...new Set(figures.map(({ budget }) => budget))]
  const tables = budgets.map((budget) => {
    const own = figures.filter((found) => found.budget === budget)
    const kinds = [...new Set(own.map(({ kind }) => kind))]
    const rows = kinds.map((kind) => {
      const [chunks, passages] = ['chunks', 'passages'].map((name) =>
        own.find((found) => found.kind === kind && found.name === name),
      )
      return [
        kind,
        String(chunks!.questions),
        percent(chunks!.answered),
        percent(passages!.answered),
        `${Math.round(chunks!.tokens)} (${Math.round(chunks!.unneeded)})`,
        `${Math.round(passages!.tokens)} (${Math.round(passages!.unneeded)})`,
      ]
    })
    const head = ['kind', 'questions', 'chunks', 'passages', 'tokens of chunks', 'tokens of passages']
    return `## ${budget.toLocaleString('en-US')} tokens\n\n${formatTable(head, rows)}\n`
  })
  return `# Context

${questions} questions over the ${set === 'corpus' ? 'shared corpus' : 'examples'}, each answered by a section, and pairs of them about different documents joined by "and". A question counts as
answered if the text has at least 60 % of the section, or of its best paragraph if the section is longer than the budget; one with two parts
if it has both, each within half of the budget. In per cent; tokens are means, those of no right section in brackets. Chunks are pieces of
400 tokens, ranked by plain BM25, within the same budget.

${tables.join('\n')}
## Over MCP

${mcp[0]!.questions} of these questions, asked with the official client: a search within 2,000 tokens, then the sections that it lists, best first, until the right
one is there, at most three.

${formatTable(
  ['search_packs returns', 'answered', 'calls', 'tokens'],
  mcp.map(({ name, answered, calls, tokens }) => [
    name,
    percent(answered),
    calls.toFixed(2),
    String(Math.round(tokens)),
  ]),
)}
`
}

function percent(share: number): string {
  return (100 * share).toFixed(1)
}
