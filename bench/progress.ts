/** Returns a function to call after each of `total` steps; it shows the count on stderr, on a terminal only. */
export function createProgress(label: string, total: number): () => void {
  let done = 0
  return () => {
    done += 1
    if (!process.stderr.isTTY) return
    process.stderr.write(done === total ? '\r\u001B[K' : `\r\u001B[K${label} ${done}/${total}`)
  }
}
