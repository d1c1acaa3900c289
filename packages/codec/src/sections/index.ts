export * from './split-sections.ts'
export { type BodySlice, createSlicer, measurePreview, type Slicer, type SlicerInput } from './slice-body.ts'
