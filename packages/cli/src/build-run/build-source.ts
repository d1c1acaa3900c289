import { serializePack } from '@packs/codec/internal'
import { buildPack, type BuildOptions, type Source } from '@packs/codec/pack'
import { summarizePack, type BuildResult } from '../output/build-result.ts'
import { toDiagnostic } from '../output/diagnostic.ts'
import { cutRatio } from '../output/terminal.ts'
import { diagnoseError } from '../output/report-error.ts'
import { loadTokenizer } from '../user-cache/load-tokenizer.ts'

/** A parsed source to build; plain data, so that it can be sent to a thread. */
export interface BuildTask {
  readonly source: Source
  readonly shown: string
  readonly overrides: BuildOptions
}

export type BuiltSource = Pick<BuildResult, 'pack' | 'text' | 'saved' | 'messages'>

/** Builds a source in this thread. Never throws: errors are among the messages. */
export async function buildSource({ source, shown, overrides }: BuildTask): Promise<BuiltSource> {
  try {
    await loadTokenizer(overrides.tokenizer ?? source.tokenizer)
    const built = await buildPack(source, overrides)
    const messages = built.messages.map((message) => toDiagnostic(message, shown))
    const { pack, compression } = built
    if (!pack || !compression) return { pack: null, text: null, messages }
    const figures = summarizePack(pack, compression.entries.length, cutRatio(compression.optimality))
    return { pack: figures, text: serializePack(pack), saved: compression.saved, messages }
  } catch (error) {
    return { pack: null, text: null, messages: [diagnoseError(error, shown)] }
  }
}
