export { cutPreview, type Preview, type PreviewInput, type PreviewKind } from './cut-preview.ts'
