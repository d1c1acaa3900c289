import { usageError } from '../cli-error.ts'

/** @throws CliError `usage` for a query that cannot be searched */
export async function checkQuery(query: string): Promise<void> {
  if (query.trim() === '') throw usageError('the query is empty', 'name some words to find')
  const { listPhrases, MAX_PHRASES, MAX_QUERY } = await import('@packs/search')
  const length = Array.from(query).length
  if (length > MAX_QUERY)
    throw usageError(`the query has ${length} characters`, `use at most ${MAX_QUERY}: the words that matter`)
  const phrases = listPhrases(query).length
  if (phrases > MAX_PHRASES)
    throw usageError(`the query has ${phrases} phrases`, `use at most ${MAX_PHRASES}: the one that matters`)
}
