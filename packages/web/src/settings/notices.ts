/** What a page says after a form was taken; the address names one of them, and never the text. */
const notices: ReadonlyMap<unknown, string> = new Map([
  [
    'signed-up',
    'You can sign in now. If that fails, the address has an account with another password, or an operator made it and gave out a claim code.',
  ],
  ['signed-out', 'You are signed out.'],
  ['session-ended', 'Your session has ended. Sign in to go on.'],
  ['password-changed', 'The password is changed, and every other session is ended.'],
  ['sessions-ended', 'Every other session is ended.'],
  ['key-revoked', 'The key is revoked: it opens nothing any more.'],
])

/** The text of a notice that an address names; nothing for any other value. */
export function findNotice(name: unknown): string | undefined {
  return notices.get(name)
}
