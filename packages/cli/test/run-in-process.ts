import { vi } from 'vitest'
import { runProgram } from '../src/program.ts'

/** Runs the program in this process, which is much faster than starting it, and returns what it printed. */
export async function runInProcess(
  args: readonly string[],
): Promise<{ readonly status: number; readonly stdout: string; readonly stderr: string }> {
  const printed = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      printed[name] += String(text)
      return true
    }),
  )
  try {
    return { status: await runProgram(args), ...printed }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
