export { countEdits, findClosestWord, findNearest } from './closest-word.ts'
export { addHash, derivePathSlug, withTable } from './derive-slug.ts'
export { splitFrontMatter } from './front-matter/split-front-matter.ts'
