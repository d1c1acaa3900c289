import { type Command, InvalidArgumentError, Option } from 'commander'
import { findScheme, suggestScheme } from '@packs/codec/internal'
import { exitOfCode } from '../eval-error.ts'
import { parsePrices, readAmount } from '../calls/call-store.ts'
import { type Exit, type Host, type EvalScheme, SCHEMES } from '../types.ts'
import type { EvalOptions } from './prepare-run.ts'

const HELP = `
Asks a model the same questions about each document and about its pack, and compares the answers question by question. Inputs are packs, as for "pack prompt". --url is any OpenAI-compatible endpoint; its key is PACK_EVAL_KEY, which is sent to that origin only, over https or on this machine, and never stored. packs.eval.ts in this folder may export any model of the AI SDK instead: export default { model, judge }.

Every answer is stored in .packs/eval: a run continues where it stopped, and the same command costs nothing again. Ctrl-C waits for the answers that are on their way. --dry-run says how many calls and tokens it takes, and how likely an equal scheme is found as good.

The exit status is 1 if a scheme is worse than the source. docs/eval.md says how to read the result.

Examples:
  $ pack eval dist/ --model gpt-5-mini --url https://api.openai.com/v1 --questions questions.yaml --dry-run
  $ pack eval dist/ --model qwen3 --url http://127.0.0.1:1234/v1 --generate 20
  $ pack eval dist/ --model gpt-5-mini --url https://api.openai.com/v1 --questions questions.yaml --prices 0.25,0.025,2 --budget 5
  $ pack eval dist/ --model qwen3 --url http://127.0.0.1:1234/v1 --generate 20 --replay --json > eval.json`

export const evalCommand: {
  readonly configure: typeof configure
  readonly run: typeof run
  readonly exitOfCode: typeof exitOfCode
} = { configure, run, exitOfCode }

function configure(command: Command, { parseCount }: Host): void {
  command
    .argument('<inputs...>', 'packs, globs, folders, or names in packs.lock')
    .option('--model <name>', 'model that reads; default: that of packs.eval.ts')
    .option('--url <url>', 'OpenAI-compatible endpoint, such as http://127.0.0.1:1234/v1')
    .option('--questions <file>', 'questions with answers and evidence, as YAML or JSON')
    .option(
      '--generate <n>',
      'let the model write so many questions for each document',
      parseGenerate(parseCount),
    )
    .addOption(
      new Option('--schemes <list>', 'schemes to compare')
        .argParser(parseSchemes)
        .default(SCHEMES, SCHEMES.join(',')),
    )
    .option('--together', 'all packs in one prompt, instead of one prompt for each')
    .option('--judge <name>', 'model that grades what no rule decides; default: the model itself')
    .option('--prices <list>', 'dollars per million tokens: input,cached,output', parsePrices)
    .option('--budget <dollars>', 'ask nothing more once the evaluation has cost this much', readAmount)
    .option('--dry-run', 'show calls, tokens, cost and power, and ask nothing')
    .option('--replay', 'report from stored answers only, without a network')
    .addHelpText('after', HELP)
}

async function run(command: Command, host: Host): Promise<Exit> {
  const { runEval } = await import('./run-eval.ts')
  return runEval(command.args, command.opts<EvalOptions>(), host)
}

/** Parses the value of `--schemes`. They are compared in the order of {@link SCHEMES}. */
function parseSchemes(text: string): readonly EvalScheme[] {
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !SCHEMES.some((scheme) => scheme === name))
  if (unknown !== undefined && findScheme(unknown)) throw new InvalidArgumentError(suggestScheme(unknown))
  if (unknown !== undefined) throw new InvalidArgumentError(`Give one or more of ${SCHEMES.join(',')}.`)
  return SCHEMES.filter((scheme) => names.includes(scheme))
}

function parseGenerate(parseCount: Host['parseCount']): (text: string) => number {
  return (text) => {
    const count = parseCount(text)
    if (count > 200) throw new InvalidArgumentError('Give a number of questions from 1 to 200.')
    return count
  }
}
