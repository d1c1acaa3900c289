export { findHeadings, type Heading, readInlineText } from './find-headings.ts'
export {
  LineKind,
  LineMark,
  type BlockTable,
  type Container,
  type LineTable,
  isCodeKind,
  isRowKind,
} from './line-table.ts'
export { scanLines, type ScanOptions } from './scan-lines.ts'
export { findVerbatimRegions, type Region } from './regions/verbatim-regions.ts'
export { type Inline, readInlines } from './read-inlines.ts'
export {
  type Definition,
  type InlineBlock,
  inlineBlocks,
  type LinePart,
  listDefinitions,
  listLabels,
} from './inlines/inline-blocks.ts'
