export { cutSection, outlinePack, type PackOutline, type PackSection } from './pack-sections.ts'
export { outlineSections, type OutlinedSection, type Section, splitSections } from './split-sections.ts'
export {
  type BodySlice,
  createSlicer,
  measurePreview,
  sliceBody,
  type SliceInput,
  type Slicer,
  type SlicerInput,
} from './slice-body.ts'
