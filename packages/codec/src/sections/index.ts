export {
  cutSection,
  outlinePack,
  type OutlineLine,
  type PackOutline,
  type PackSection,
  writeOutlineLine,
} from './split-sections.ts'
export {
  outlineSections,
  type OutlinedSection,
  placeSections,
  type Section,
  splitSections,
} from './split-sections.ts'
export { type BodySlice, createSlicer, measurePreview, type Slicer, type SlicerInput } from './slice-body.ts'
