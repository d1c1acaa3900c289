export * from './term-style.ts'
export * from './terms.ts'
export * from './theme.ts'
