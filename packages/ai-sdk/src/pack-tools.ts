import type { AgentTools, Docs, ToolFailure, ToolNames } from '@packs/client'
import { jsonSchema, type Schema, type Tool } from 'ai'

/** What both tools return: a text for the model, and for logs what it is from. */
export interface ToolAnswer {
  readonly text: string
  readonly [field: string]: unknown
}

/** The tools of {@link packTools}, by name. */
export type PackTools = Readonly<Record<string, Tool<Record<string, unknown>, ToolAnswer>>>

/**
 * Creates two tools of AI SDK 6 and 7 with which a model finds passages and reads packs and
 * sections, the same as over MCP. A model gets the text of an answer, at most `max_tokens` of
 * o200k_base; the output of the tool also names packs, versions and digests, for logs.
 *
 * Texts are plain: a header of their own could give terms another meaning than the header that the
 * middleware `packs` decodes with. An error of the documents becomes an error of the tool, which
 * tells the model what to do.
 * @param names tells the tools of several sets apart
 * @example
 * const docs = await openDocs({ url, key })
 * const tools = await packTools(docs, { name: 'fastify' })
 * await generateText({ model, tools, stopWhen: isStepCount(5), prompt: question })
 */
export async function packTools(docs: Docs, names?: ToolNames): Promise<PackTools> {
  return Object.fromEntries((await docs.tools(names)).map((tool) => [tool.name, createTool(tool)]))
}

function createTool(tool: AgentTools[number]): PackTools[string] {
  return {
    description: tool.description,
    inputSchema: createSchema(tool),
    async execute(given, { abortSignal }) {
      const result = await tool.execute(given, { signal: abortSignal })
      if (result.isError) throw toError(result)
      return { text: result.text, ...result.data }
    },
    toModelOutput: ({ output }) => ({ type: 'text', value: output.text }),
  }
}

/** Creates the schema of a tool. What is wrong with arguments tells the model what to send. */
function createSchema({ parameters, check }: AgentTools[number]): Schema<Record<string, unknown>> {
  return jsonSchema(parameters, {
    validate(given) {
      const { args, failure } = check(given)
      return failure === undefined
        ? { success: true, value: args }
        : { success: false, error: toError(failure) }
    },
  })
}

/** The SDK shows a model the message of an error. */
function toError({ text, cause }: ToolFailure): Error {
  return new Error(text, { cause })
}
