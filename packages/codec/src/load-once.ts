/** Loads a value on first use, and again after an error. */
export function loadOnce<T>(create: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined
  return () =>
    (value ??= create().catch((error: unknown) => {
      value = undefined
      throw error
    }))
}
