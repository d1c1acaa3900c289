export { findTextCuts, type TextCuts } from '../preview/find-text-cuts.ts'
export { measurePreview } from './slice-body.ts'
export { type Block, splitBlocks } from './split-blocks.ts'
export {
  locateSections,
  type OutlineLine,
  splitSections,
  writeOutlineLine,
  hideCounts,
  LOCKED_TOKENS,
} from './split-sections.ts'
