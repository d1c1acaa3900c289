/**
 * Ignores the outcome of a promise that takes longer.
 * @param late returns what is in for the outcome, or throws
 */
export async function withTimeLimit<T, Late = never>(
  promise: Promise<T>,
  milliseconds: number,
  late: () => Late,
): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)))
  try {
    return await Promise.race([promise, expired.then(late)])
  } finally {
    clearTimeout(timer)
  }
}
