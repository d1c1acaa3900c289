export { isSafeAddress, type LinkTable } from './link-address.ts'
export * from './write-links.ts'
