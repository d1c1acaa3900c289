import { CliError, usageError } from '../cli-error.ts'

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

/** Explains the error about a missing file: words after the first are taken for files. */
export function explainWords(error: unknown): unknown {
  if (!(error instanceof CliError && error.code === 'file_not_found')) return error
  const { code, message, file } = error
  if (file === undefined || /[./\\*]/.test(file)) return error
  const hint = 'put a query of several words in quotes, or check the name of the file'
  return new CliError(code, message, hint, { file, cause: error })
}
