export { type BodySlice, createSlicer, type Slicer, type SlicerInput } from './sections/slice-body.ts'
export { type OutlinedSection, outlineSections, type Section } from './sections/split-sections.ts'
