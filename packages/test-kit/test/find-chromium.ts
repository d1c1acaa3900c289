import { findProgram } from './find-program.ts'

/** Path of a Chromium: `CHROMIUM_PATH`, one on the `PATH`, or a new installation if that needs no confirmation. */
export function findChromium(): string {
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  const found = process.env['CHROMIUM_PATH'] ?? findProgram(names, 'chromium')
  if (found !== undefined) return found
  throw new Error('The browser test needs Chromium: install it, or name it in CHROMIUM_PATH.')
}
