import { handleInterrupts } from './interrupt.ts'
import { reportError } from './output/report-error.ts'
import { runProgram, wantsJson } from './program.ts'

const args = process.argv.slice(2)
handleInterrupts()
process.on('uncaughtException', (error) => process.exit(reportError(error, wantsJson(args))))
process.exitCode = await runProgram(args)
