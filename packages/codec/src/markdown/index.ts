export { findHeadings, type Heading, readInlineText } from './find-headings.ts'
export {
  LineKind,
  LineMark,
  type BlockTable,
  type Container,
  type LineTable,
  isCodeKind,
} from './line-table.ts'
export { scanLines, type ScanOptions } from './scan-lines.ts'
