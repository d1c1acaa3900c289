import { buildPackSync, serializePack, type BuildResult as PackResult } from '@packs/codec/build'
import { summarizePack, type BuildResult } from '../output/build-result.ts'
import { toDiagnostic } from '../output/diagnostic.ts'
import { cutRatio } from '../output/format-table.ts'
import { loadTokenizer } from '../user-cache/load-tokenizer.ts'
import { addError, readSource, type BuildRequest } from './read-source.ts'

/**
 * Builds one source in this thread. Errors are added to the `messages` of the result.
 *
 * @param run runs the build itself, which may take long
 */
export async function buildSource(
  request: BuildRequest,
  run: <Result>(build: () => Result) => Result = (build) => build(),
): Promise<BuildResult> {
  const { source, unbuilt } = await readSource(request)
  if (source === undefined) return unbuilt
  const { overrides } = request
  try {
    await loadTokenizer(overrides.tokenizer ?? source.tokenizer)
    const built = run(() => buildPackSync(source, overrides))
    return completeResult(built, unbuilt)
  } catch (error) {
    return addError(unbuilt, error)
  }
}

/** Adds the pack and the messages of a build to the result of reading its source. */
function completeResult(built: PackResult, unbuilt: BuildResult): BuildResult {
  const messages = [
    ...unbuilt.messages,
    ...built.messages.map((message) => toDiagnostic(message, unbuilt.shown)),
  ]
  const { pack, compression } = built
  if (!pack || !compression) return { ...unbuilt, messages }
  return {
    ...unbuilt,
    pack: summarizePack(pack, compression.entries.length, cutRatio(compression.optimality)),
    text: serializePack(pack),
    messages,
  }
}
