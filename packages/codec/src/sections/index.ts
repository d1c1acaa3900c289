export { findTextCuts, type TextCuts } from '../preview/find-text-cuts.ts'
export { measurePreview } from './slice-body.ts'
export { type TextDivider, createDivider, type PartBlock } from './divide-text.ts'
export {
  locateSections,
  type OutlineLine,
  splitSections,
  writeOutlineLine,
  hideCounts,
  LOCKED_TOKENS,
} from './split-sections.ts'
