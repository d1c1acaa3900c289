export { compareStructure } from './compare-structure.ts'
export { isCodeKind, LineKind, type LineTable } from './line-table.ts'
export { protectLines, type ProtectOptions } from './protect-lines.ts'
export { scanLines } from './scan-lines.ts'
