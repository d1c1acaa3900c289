export { type BodySlice, createSlicer, type Slicer, type SlicerInput } from './sections/slice-body.ts'
export {
  type MinifiedFrom,
  type OutlinedSection,
  outlineSections,
  type Section,
} from './sections/split-sections.ts'
