import { scryptSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createPasswords, isCommonPassword } from '../../src/accounts/passwords.ts'

const PASSWORD = 'four horses walk ⅷ times'

describe('the digest of a password', () => {
  it('is scrypt with N = 2^17, r = 8 and p = 1, and a salt of its own', async () => {
    const passwords = createPasswords()
    const [hash, again] = [await passwords.hash(PASSWORD), await passwords.hash(PASSWORD)]
    const [, scheme, parameters, salt = '', key = ''] = hash.split('$')
    expect([scheme, parameters]).toEqual(['scrypt', 'ln=17,r=8,p=1'])
    const expected = scryptSync(PASSWORD.normalize('NFKC'), Buffer.from(salt, 'base64url'), 64, {
      N: 131_072,
      r: 8,
      p: 1,
      maxmem: 2 ** 28,
    })
    expect(key).toBe(expected.toString('base64url'))
    expect(again.split('$')[3]).not.toBe(salt)
    expect(await passwords.verify({ hash, password: PASSWORD })).toBe(true)
    expect(await passwords.verify({ hash, password: `${PASSWORD}.` })).toBe(false)
  })

  it.each(['', ':', '$scrypt$ln=17,r=8,p=1$', '$scrypt$ln=17,r=8,p=1$c2FsdA$a2V5'])(
    'that is damaged fits no password: %j',
    async (hash) => {
      expect(await createPasswords().verify({ hash, password: '' })).toBe(false)
    },
  )
})

describe('a password that many people use', () => {
  // prettier-ignore
  const morePasswords = [
    '123456789012', 'password1234', 'Password-2024!', 'passwordpassword', 'QWERTYUIOP12', '1qaz2wsx3edc',
    'abcabcabcabc', 'aaaaaaaaaaaa', 'abcdefghijklmn', 'zyxwvutsrqpo', '194837205618', 'leavemealone',
    '!!dragon!!2024',
  ]
  it.each(morePasswords)('is refused: %s', (password) => expect(isCommonPassword(password)).toBe(true))

  it.each([
    'correct horse',
    'battery staple',
    'drei Äpfel im Korb',
    'xK4-qP9v-27Lm',
    '馬が四頭で森を歩いていた',
  ])('is none of these: %s', (password) => expect(isCommonPassword(password)).toBe(false))
})
