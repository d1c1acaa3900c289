import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const { scrypt } = crypto
const CHEAP = { N: 16, r: 1, p: 1 }

// Hashing a password is slow on purpose, and no test of the pages is about this cost.
crypto.scrypt = ((password, salt, length, options, done) =>
  scrypt(password, salt, length, { ...options, ...CHEAP }, done)) as typeof scrypt
syncBuiltinESMExports()
