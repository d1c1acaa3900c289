const MOST_ANSWERS = 1000

/** Gives the answer kept under a key, or asks for it. */
export type AnswerCache = <T>(key: string, ask: () => Promise<T>) => Promise<T>

/**
 * Keeps answers until the catalog changes: counting all that a list matches costs more than the page it shows.
 *
 * The sequence is read before an answer is asked for, so what is kept is never older than it.
 *
 * @param readSequence the number of the catalog's last change, whoever made it
 */
export function createAnswerCache(readSequence: () => Promise<number>): AnswerCache {
  const answers = new Map<string, unknown>()
  let current = -1
  return async <T>(key: string, ask: () => Promise<T>): Promise<T> => {
    const sequence = await readSequence()
    if (sequence !== current) {
      answers.clear()
      current = sequence
    }
    const known = answers.get(key)
    if (known !== undefined) return known as T
    const answer = await ask()
    if (sequence === current) {
      if (answers.size >= MOST_ANSWERS) answers.clear()
      answers.set(key, answer)
    }
    return answer
  }
}
