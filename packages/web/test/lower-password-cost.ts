import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const { scrypt } = crypto
const CHEAP = { N: 16, r: 1, p: 1 }

// A password takes 50 ms to hash on purpose. Tests sign in thousands of times, and none of them is about this cost.
crypto.scrypt = ((password, salt, length, options, done) =>
  scrypt(password, salt, length, { ...options, ...CHEAP }, done)) as typeof scrypt
syncBuiltinESMExports()
