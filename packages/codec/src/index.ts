export {
  createDecoder,
  type DecodeOptions,
  type Decoder,
  decodeDeep,
  decodeStream,
  decode,
} from './decode/decode.ts'
export * from './decode/decode-answer.ts'
export { CodecError, type CodecErrorCode, type CodecErrorPosition } from './errors.ts'
export {
  INSTRUCTION_TOKENS,
  systemPrompt,
  type PromptPack,
  type SystemPrompt,
} from './prompt/system-prompt.ts'
export { parseRosetta, type ParseOptions } from './rosetta/parse-rosetta.ts'
export { serializeRosetta } from './rosetta/parse-rosetta.ts'
export type { Rosetta, RosettaEntry, Scheme } from './types.ts'
