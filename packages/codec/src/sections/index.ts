export * from './split-sections.ts'
export { type BodySlice, createSlicer, measurePreview, type Slicer, type SlicerInput } from './slice-body.ts'
export { splitBlocks, type Block } from './split-blocks.ts'
export { chooseTag, cleanAttribute } from '../prompt/choose-tag.ts'
