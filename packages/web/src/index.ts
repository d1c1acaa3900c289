export { createWeb, type Web } from './create-web.ts'
export type { MailSettings } from './mail/create-mailer.ts'
export type { WebLog, WebOptions, WebPorts } from './ports.ts'
