import type { Logger } from 'pino'

const LONGEST = 200
const METHODS = ['debug', 'log', 'info', 'warn', 'error'] as const

/**
 * Writes what libraries and Node print into the log, so that all lines of a service are JSON.
 *
 * Of what they print the first line of a text is kept; of errors the kind alone, as theirs hold commands with passwords.
 */
export function logLibraries(log: Logger): void {
  for (const method of METHODS) {
    console[method] = (first: unknown) => log.warn(describePrint(first), 'a library printed')
  }
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => log.warn({ kind: name, text: cutText(message) }, 'Node warns'))
}

function describePrint(first: unknown): Record<string, string> {
  if (typeof first === 'string') return { text: cutText(first) }
  if (!(first instanceof Error)) return {}
  const { code, name } = first as NodeJS.ErrnoException
  return { kind: code ?? name }
}

/** The first line, without user and password of an address. */
function cutText(text: string): string {
  const [line = ''] = text.trim().split('\n', 1)
  return line.replace(/:\/\/[^\s/]*@/g, '://').slice(0, LONGEST)
}
