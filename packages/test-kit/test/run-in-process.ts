import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { vi } from 'vitest'
import { runProgram } from '../../cli/src/program.ts'
import { NO_CACHE, type Run, type RunOptions } from './run-pack.ts'

/** What a command printed, and its exit status. */
export type Printed = Pick<Run, 'status' | 'stdout' | 'stderr'>

// A command that runs long lowers the priority of its process, which here would be that of all tests after it.
os.setPriority = () => undefined
syncBuiltinESMExports()

/** What would change the output, as far as the runner of the tests sets it. */
const COLORS = { NO_COLOR: undefined, FORCE_COLOR: undefined, COLUMNS: undefined }

/**
 * Runs the program in this process, which is much faster than starting it, and returns what it printed. For tests of what a command
 * does; signals, pipes, stdin and what is loaded need `runPack`. Two of them cannot run at the same time.
 */
export async function runInProcess(
  args: readonly string[],
  { cwd, env, isTerminal }: Pick<RunOptions, 'cwd' | 'env'> & { readonly isTerminal?: boolean } = {},
): Promise<Printed> {
  const printed = { stdout: '', stderr: '' }
  const before = process.cwd()
  const { isTTY } = process.stdout
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      printed[name] += Buffer.from(text as string).toString()
      return true
    }),
  )
  try {
    for (const [name, value] of Object.entries({ ...COLORS, ...NO_CACHE, ...env })) vi.stubEnv(name, value)
    if (cwd !== undefined) process.chdir(cwd)
    if (isTerminal !== undefined) process.stdout.isTTY = isTerminal
    return { status: await runProgram(args), ...printed }
  } finally {
    for (const spy of spies) spy.mockRestore()
    vi.unstubAllEnvs()
    process.stdout.isTTY = isTTY
    process.chdir(before)
  }
}
