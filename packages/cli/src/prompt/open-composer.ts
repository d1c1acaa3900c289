import { createTaskThread } from '@packs/threads'
import type { CompressError } from '@packs/codec/compress'
import { CliError } from '../cli-error.ts'
import { startActivity } from '../output/progress.ts'
import { locateModule } from '../package-files.ts'
import type { ComposedSet, SetRequest } from './compose-set.ts'

/** The hints of the codec name options of functions; these name options of the program. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ['over_budget', 'raise --budget, name fewer packs, or take only the first packs that fit with --fit'],
  ['mixed_tokenizers', 'name the tokenizer of your model with --tokenizer'],
  ['source_too_large', 'name fewer packs at once'],
  ['build_timeout', 'name fewer packs, try --scheme none, or raise PACK_BUILD_SECONDS'],
])

export interface Composer {
  /** @throws CliError with the code of the codec */
  readonly compose: (request: SetRequest, shown: readonly string[]) => Promise<ComposedSet>
  readonly close: () => Promise<void>
}

/** In a thread, so that signals are handled and a composition that runs long can be stopped. */
export function openComposer(seconds: number, isQuiet: boolean): Composer {
  const thread = createTaskThread(locateModule('build-run/build-worker'), seconds)
  return {
    async compose(request, shown) {
      const name = shown.length === 1 ? 'a prompt of 1 pack' : `a prompt of ${shown.length} packs`
      const activity = startActivity(`composing ${name}`, isQuiet)
      try {
        return await thread.run<ComposedSet>(request, name)
      } catch (error) {
        throw explainError(error as Error, shown, request)
      } finally {
        activity.stop()
      }
    },
    close: () => thread.close(),
  }
}

/** Errors of the thread have the fields of the codec's, but not their class. */
function explainError(
  error: Error & Partial<Pick<CompressError, 'code' | 'hint' | 'pack' | 'shares'>>,
  shown: readonly string[],
  { options }: SetRequest,
): Error {
  const { code, message, hint, pack, shares = [] } = error
  if (code === undefined || hint === undefined) return error
  const file = pack && shown[pack.index]
  const problem = file === undefined ? message : `${file}: ${message}`
  const isUnfit = code === 'over_budget' && options.fit !== undefined
  const advice = isUnfit ? 'raise --budget, or begin with a smaller pack' : (HINTS.get(code) ?? hint)
  return new CliError(code, problem, advice, { file, ...(shares.length > 0 && { shares }) })
}
