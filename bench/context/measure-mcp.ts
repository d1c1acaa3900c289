import type { NewVersion } from '@packs/catalog'
import { decode } from '@packs/codec'
import { loadTokenizer } from '@packs/codec/tokens'
import { createMemorySource, type PackSource } from '../../packages/mcp/src/index.ts'
import { openSession } from '../../packages/mcp/test/open-session.ts'
import type { createJudge, Question } from './judge-answers.ts'

/** What it takes to answer questions over MCP. */
export interface McpFigures {
  readonly name: 'lines, then reads' | 'passages'
  readonly questions: number
  /** Share of the questions whose answers have the section, from 0 to 1. */
  readonly answered: number
  /** Mean calls of tools, and tokens of their texts. */
  readonly calls: number
  readonly tokens: number
}

/** Sections that a model reads after a search, one after another, until it has the right one. */
const MAX_READS = 3
const SEARCH_TOKENS = 2000

interface Hit {
  readonly pack: string
  readonly section: string | null
  readonly in_text?: true
}

/**
 * Asks questions over MCP with the official client, of a server whose searches list sections and of one that returns passages. A
 * model reads the sections that are listed, best first, until it has the right one, at most three.
 */
export async function measureMcp(
  versions: readonly NewVersion[],
  questions: readonly Question[],
  judge: ReturnType<typeof createJudge>,
): Promise<McpFigures[]> {
  const packs = versions.map(({ pack }) => ({ pack, body: decode(pack.content, pack.rosetta) }))
  const source = createMemorySource(() => Promise.resolve(packs), loadTokenizer)
  const lines: PackSource = { ...source, context: () => Promise.resolve(undefined) }
  return [
    await ask('lines, then reads', lines, questions, judge),
    await ask('passages', source, questions, judge),
  ]
}

async function ask(
  name: McpFigures['name'],
  source: PackSource,
  questions: readonly Question[],
  judge: ReturnType<typeof createJudge>,
): Promise<McpFigures> {
  const tokenizer = await loadTokenizer('o200k_base')
  const session = await openSession(source)
  const sum = { answered: 0, calls: 0, tokens: 0 }
  for (const question of questions) {
    let text = ''
    let reads: readonly Hit[] = []
    const call = async (tool: string, args: Record<string, unknown>): Promise<void> => {
      const { text: answer, data } = await session.call(tool, args)
      const { hits = [] } = (data ?? {}) as { readonly hits?: readonly Hit[] }
      text += answer
      if (tool === 'search_packs')
        reads = hits.filter(({ section, in_text }) => section !== null && !in_text).slice(0, MAX_READS)
      sum.calls += 1
      sum.tokens += tokenizer.countTokens(answer)
    }
    const isAnswered = (): boolean => judge(question, { text, tokens: 0 }, Number.MAX_SAFE_INTEGER).answered
    await call('search_packs', { query: question.text, max_tokens: SEARCH_TOKENS })
    for (const { pack, section } of reads) {
      if (isAnswered()) break
      await call('read_pack', { pack, section })
    }
    sum.answered += Number(isAnswered())
  }
  await session.close()
  const mean = (value: number): number => value / questions.length
  return {
    name,
    questions: questions.length,
    answered: mean(sum.answered),
    calls: mean(sum.calls),
    tokens: mean(sum.tokens),
  }
}
