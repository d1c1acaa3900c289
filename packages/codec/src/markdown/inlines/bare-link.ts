/** Start of an address of an email, if nothing of its kind precedes it. */
const EMAIL = /(?<![\w+\-./])[\w+\-.]+@/g
/** First character that is not part of the domain of an email. */
const DOMAIN_STOP = /[^\w.-]|\.(?![a-z\d])|$/gi
const TRAIL = /[!"')*,.:;?_~]+|&[a-z]+;|\](?![\s([]|$)/iy
const TRAIL_END = /[\s<]|\](?=[\s([]|$)|$/y
/** Characters of a path that end it if only punctuation follows. */
const PATH_MARKS = /[!"&'()*,.:;<?\]_~\s]/g

/** Finds links that GFM makes of addresses without brackets; linear in time if offsets ascend. */
export class BareLinks {
  private readonly text: string
  /** Place of the next start of an email, from the last search on. */
  private emailStart = -1
  private emailAt: number
  /** No trail that starts before this offset ends an address. */
  private noTrail = 0
  /** A domain that starts before this offset has an underscore in one of its last two parts. */
  private noDomain = 0

  constructor(text: string) {
    this.text = text
    this.emailAt = text.indexOf('@')
  }

  /** Start of the next possible email from an offset on; the text's end if none. */
  nextEmail(from: number): number {
    if (this.emailStart < from && this.emailAt >= 0) {
      EMAIL.lastIndex = from
      const found = EMAIL.exec(this.text)
      this.emailStart = found?.index ?? -1
      this.emailAt = found === null ? -1 : EMAIL.lastIndex - 1
    }
    return this.emailAt < 0 ? this.text.length : this.emailStart
  }

  /** End of the email whose start was found last; -1 if it has no domain. */
  emailEnd(): number {
    const start = this.emailAt + 1
    DOMAIN_STOP.lastIndex = start
    const end = DOMAIN_STOP.exec(this.text)!.index
    const domain = this.text.slice(start, end)
    return domain.includes('.') && /[a-z]$/i.test(domain) ? end : -1
  }

  /**
   * End of the address at an offset; -1 if it is none.
   * @param prefix Length of `https://`; 0 for `www.`, which is part of the domain.
   */
  addressEnd(start: number, prefix: number): number {
    const { text } = this
    const before = start === 0 ? ' ' : text[start - 1]!
    if (prefix === 0 ? !/[ \t\n(*_[\]~]/.test(before) : /[a-z]/i.test(before)) return -1
    const from = start + prefix
    if (prefix === 0 ? start + 4 === text.length : !/[^\0-\x20\s\p{P}\p{S}\x7f]/u.test(text[from] ?? ' '))
      return -1
    const end = this.domainEnd(from)
    return end < 0 ? -1 : this.pathEnd(end)
  }

  private domainEnd(start: number): number {
    const { text } = this
    if (start < this.noDomain) return -1
    let underscores = 0
    let before = 0
    let seen = false
    let offset = start
    let part = start
    let partBefore = start
    for (; offset < text.length; offset++) {
      const code = text.charCodeAt(offset)
      if (code === 46 || code === 95) {
        if (this.isTrail(offset)) break
        if (code === 95) underscores++
        else {
          before = underscores
          underscores = 0
          partBefore = part
          part = offset + 1
        }
      } else if (code !== 45 && endsDomain(code)) break
      else seen = true
    }
    if (before === 0 && underscores === 0) return seen ? offset : -1
    this.noDomain = partBefore
    return -1
  }

  private pathEnd(start: number): number {
    const { text } = this
    let open = 0
    PATH_MARKS.lastIndex = start
    for (let mark = PATH_MARKS.exec(text); mark !== null; mark = PATH_MARKS.exec(text)) {
      const [sign] = mark
      if (sign === '(') open++
      else if ((sign !== ')' || open <= 0) && (/\s/.test(sign) || this.isTrail(mark.index))) return mark.index
      if (sign === ')') open--
    }
    return text.length
  }

  /** Whether nothing but punctuation follows from an offset to the end of an address. */
  private isTrail(start: number): boolean {
    if (start < this.noTrail) return false
    let end = start
    for (TRAIL.lastIndex = start; TRAIL.test(this.text);) end = TRAIL.lastIndex
    TRAIL_END.lastIndex = end
    if (TRAIL_END.test(this.text)) return true
    this.noTrail = end
    return false
  }
}

/** Whether a character is white space or punctuation. NUL represents U+FFFD, which is. */
function endsDomain(code: number): boolean {
  return code === 0 || Number.isNaN(code) || /[\s\p{P}\p{S}]/u.test(String.fromCharCode(code))
}
