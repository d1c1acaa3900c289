export { createWeb, type Web } from './create-web.ts'
export type { WebLog, WebOptions, WebPorts } from './ports.ts'
