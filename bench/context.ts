// `pnpm bench:context`: whether the passages within a budget have what answers a question, beside chunks of 400 tokens; saved in bench/results.
import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadTokenizer } from '@packs/codec/tokens'
import { type Answer, createChunkSearch } from './context/chunk-search.ts'
import { type BudgetFigures, formatContext, summarise } from './context/format-context.ts'
import { createJudge, listQuestions, pairQuestions, type Question } from './context/judge-answers.ts'
import { measureMcp } from './context/measure-mcp.ts'
import { loadQuerySet } from './search/load-query-set.ts'
import { openSearch } from './search/open-search.ts'

const BUDGETS = [500, 1000, 2000, 4000]
/** Questions that are asked over MCP. */
const MCP_QUESTIONS = 50

const root = fileURLToPath(new URL('..', import.meta.url))
const set = await loadQuerySet(root)
const tokenizer = await loadTokenizer('o200k_base')
const folder = mkdtempSync(join(tmpdir(), 'packs-bench-'))
try {
  const { catalog, context, close } = await openSearch(join(folder, 'catalog.sqlite'))
  await catalog.packs.commit(set.versions)
  const chunks = createChunkSearch(set.versions, tokenizer)
  const judge = createJudge(set.versions, tokenizer)
  const single = listQuestions(set.queries)
  const questions: readonly Question[] = [...single, ...pairQuestions(single)]
  const measure = async (
    name: string,
    ask: (question: string, budget: number) => Promise<Answer> | Answer,
  ): Promise<BudgetFigures[]> => {
    const figures: BudgetFigures[] = []
    for (const budget of BUDGETS) {
      const judged = []
      for (const question of questions) {
        const answer = await ask(question.text, budget)
        if (answer.tokens > budget) throw new Error(`An answer has ${answer.tokens} of ${budget} tokens`)
        judged.push(judge(question, answer, budget))
      }
      figures.push(...summarise(name, budget, judged))
    }
    return figures
  }
  const figures = [...(await measure('chunks', chunks)), ...(await measure('passages', context))]
  await close()
  const every = Math.max(1, Math.floor(single.length / MCP_QUESTIONS))
  const asked = single.filter((_, at) => at % every === 0).slice(0, MCP_QUESTIONS)
  const mcp = await measureMcp(set.versions, asked, judge)
  const text = formatContext(set.name, single.length, figures, mcp)
  process.stdout.write(text)
  if (set.name === 'corpus') {
    await writeFile(
      join(root, 'bench/results/context.json'),
      `${JSON.stringify({ figures, mcp }, null, 2)}\n`,
    )
    await writeFile(join(root, 'bench/results/context.md'), text)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
