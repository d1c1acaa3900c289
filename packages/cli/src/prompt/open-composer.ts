import { BuildTimeoutError, createTaskThread } from '@packs/threads'
import type { CompressErrorCode } from '@packs/codec/compress'
import { CliError } from '../cli-error.ts'
import { startActivity } from '../output/progress.ts'
import { locateModule } from '../package-files.ts'
import type { ComposedSet, SetFault, SetRequest, SetResponse } from './compose-set.ts'

/** The hints of the codec name options of functions; these name options of the program. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ['over_budget', 'raise --budget, name fewer packs, or take only the first packs that fit with --fit'],
  ['mixed_tokenizers', 'name the tokenizer of your model with --tokenizer'],
  ['source_too_large', 'name fewer packs at once'],
  ['build_timeout', 'name fewer packs, try --scheme none, or raise PACK_BUILD_SECONDS'],
])

/** A thread that composes prompts. */
export interface Composer {
  /**
   * @param shown names of the documents in messages
   * @throws CliError with the code of the codec
   */
  readonly compose: (request: SetRequest, shown: readonly string[]) => Promise<ComposedSet>
  readonly close: () => Promise<void>
}

/**
 * Starts a thread that composes prompts, so that signals are handled meanwhile and a composition
 * that runs too long can be stopped.
 *
 * @param seconds longest time for a prompt
 */
export function openComposer(seconds: number, isQuiet: boolean): Composer {
  const thread = createTaskThread(locateModule('build-run/build-worker'), seconds)
  return {
    async compose(request, shown) {
      const name = shown.length === 1 ? 'a prompt of 1 pack' : `a prompt of ${shown.length} packs`
      const activity = startActivity(`composing ${name}`, isQuiet)
      try {
        const { composed, fault } = await thread.run<SetResponse>(request, name)
        if (fault !== undefined) throw promptError(fault, shown, request)
        return composed
      } catch (error) {
        if (!(error instanceof BuildTimeoutError)) throw error
        throw promptError(error, shown, request)
      } finally {
        activity.stop()
      }
    },
    close: () => thread.close(),
  }
}

function promptError(
  { code, message, hint, pack, shares }: SetFault,
  shown: readonly string[],
  { options }: SetRequest,
): Error {
  if (code === 'internal') return new Error(message)
  const file = pack === undefined ? undefined : shown[pack]
  const problem = file === undefined ? message : `${file}: ${message}`
  const isUnfit = code === 'over_budget' && options.fit !== undefined
  const advice = isUnfit ? 'raise --budget, or begin with a smaller pack' : (HINTS.get(code) ?? hint)
  return new CliError(code as CompressErrorCode, problem, advice, { file, shares })
}
