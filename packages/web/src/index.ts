export { createWeb, type Web } from './create-web.ts'
export type { MailSettings, WebLog, WebOptions, WebPorts } from './ports.ts'
