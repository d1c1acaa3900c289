export { findClosestWord } from './closest-word.ts'
export { derivePathSlug } from './derive-slug.ts'
export { splitFrontMatter } from './front-matter/split-front-matter.ts'
