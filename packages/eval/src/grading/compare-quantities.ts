import { foldAnswer } from './answer-words.ts'

/** A number with its unit. */
export interface Quantity {
  readonly value: number
  /** The number as written, without separators of groups. */
  readonly digits: string
  /** What is measured, such as `s` for all times up to hours; empty without a unit. */
  readonly dimension: string
  /** Of the unit, in that of the dimension. */
  readonly factor: number
}

/**
 * Reads a text that is only a number with a unit, and not `12.500`, which can be 12,500.
 *
 * @example parseQuantity('€1,190') // { value: 1190, digits: '1190', dimension: '€', factor: 1 }
 */
export function parseQuantity(text: string): Quantity | undefined {
  if (text.length > 200 || /\d[.,:;]\s+\d/.test(text)) return undefined
  const folded = foldAnswer(text).replace(/\((\p{L}+)\)$/u, '$1')
  const spelled = folded.replace(/^[A-Za-z]+(?![-\w])/, (word) => {
    const number = NUMBER_WORDS.split(' ').indexOf(word.toLowerCase())
    return number < 0 ? word : String(number > 20 ? (number - 18) * 10 : number)
  })
  const match = QUANTITY.exec(spelled)
  if (match === null) return undefined
  const [, sign, currency, innerSign, literal, power = '', unit] = match
  const isDecimal = /^\d+[.,]\d+$/.test(literal!) && !/^[1-9]\d{0,2}[.,]\d{3}$/.test(literal!)
  const isGrouped = /^[1-9]\d{0,2}(?:([ ,'_])\d{3})(?:\1\d{3})*(?:\.\d+)?$/.test(literal!)
  if (!isDecimal && !isGrouped && !/^\d+$/.test(literal!)) return undefined
  const digits = isDecimal ? literal!.replace(',', '.') : literal!.replaceAll(/[ ,'_]/g, '')
  const scale = (sign === '-' || innerSign === '-' ? -1 : 1) * (POWERS[power] ?? 1)
  return { value: Number(digits) * scale, digits, ...readUnit(`${currency}${unit}`.trim()) }
}

/**
 * Compares two quantities. Units of one dimension are converted, so `90 min` is `1.5 h`. It is
 * unclear where one number may be the other rounded, or with a comma that is read otherwise.
 *
 * @param isVersion whether a number without unit may be a name, so that `4.2` is not `4.20`
 */
export function compareQuantities(
  given: Quantity | undefined,
  expected: Quantity | undefined,
  isVersion: boolean,
): 'same' | 'different' | 'unclear' | 'incomparable' {
  if (given === undefined || expected === undefined) return 'unclear'
  const [a, b] = [given.value * given.factor, expected.value * expected.factor]
  const isBare = given.dimension === '' || expected.dimension === ''
  if (given.dimension !== expected.dimension)
    return isBare && isNear(given.value, expected.value, 0.05) ? 'unclear' : 'incomparable'
  if (isNear(a, b, 1e-12)) return isVersion && isBare && given.digits !== expected.digits ? 'unclear' : 'same'
  const isConverted = given.factor !== expected.factor
  if (!isConverted && (1000 * a === b || a === 1000 * b)) return 'unclear'
  const [decimals, expectedDecimals] = [given, expected].map(
    ({ digits }) => digits.split('.')[1]?.length ?? 0,
  )
  return (isConverted || decimals! < expectedDecimals!) && isNear(a, b, 0.05) ? 'unclear' : 'different'
}

function isNear(a: number, b: number, share: number): boolean {
  return Math.abs(a - b) <= share * Math.max(Math.abs(a), Math.abs(b))
}

const QUANTITY =
  /^([-+]?)(\p{Sc}?) ?([-+]?)(\d+(?:[., '_]\d+)*)(?: (thousand|million|billion)\b)? ?([\p{L}\p{Sc}%°²³·/ ]{0,40})$/u
const POWERS: Readonly<Record<string, number>> = { thousand: 1e3, million: 1e6, billion: 1e9 }
const NUMBER_WORDS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety'

type Unit = Pick<Quantity, 'dimension' | 'factor'>

/** Dimension, factor and names of units; names of four letters or more have a plural, too. */
const UNITS: ReadonlyMap<string, Unit> = new Map(
  `s 0.001 ms msec millisecond|s 1 s sec secs second|s 60 min mins minute|s 3600 h hr hrs hour|day 1 d day days
m 0.001 mm millimetre millimeter|m 0.01 cm centimetre centimeter|m 1 m metre meter|m 1000 km kilometre kilometer
g 0.001 mg milligram|g 1 g gram|g 1000 kg kilogram|l 0.001 ml mL millilitre milliliter|l 1 l L litre liter
% 1 % percent|€ 1 € EUR euro|$ 1 $ dollar|£ 1 £ GBP|¥ 1 ¥ JPY yen|°C 1 °C celsius|Nm 1 Nm newton-metre newton-meter
A 0.001 mA|A 1 A amp amps ampere|V 1 V volt|V 1000 kV|W 1 W watt|W 1000 kW kilowatt|Hz 1 Hz hertz|Hz 1e3 kHz|Hz 1e6 MHz
B 1 byte|B 1024 KiB|B 1048576 MiB|B 1073741824 GiB|kB 1 kB kilobyte|MB 1 MB megabyte|GB 1 GB gigabyte`
    .split(/[|\n]/)
    .map((line) => line.split(' '))
    .flatMap(([dimension, factor, ...names]) =>
      names.map((name) => [name, { dimension: dimension!, factor: Number(factor) }] as const),
    ),
)

/** Reads words in any case and number, but abbreviations as written, since `mW` is not `MW`. */
function readUnit(text: string): Unit {
  const plain = text.replace(/^per cent\b/, 'percent').replace(/^newton (?=met)/, 'newton-')
  const [unit, ...others] = plain.split(/ ?\/ ?| per /).map((name) => {
    const word = name.length > 3 ? name.toLowerCase().replace(/(?<=[^s])s$/, '') : name
    return UNITS.get(name) ?? UNITS.get(word) ?? { dimension: word, factor: 1 }
  })
  return {
    dimension: [unit!, ...others].map(({ dimension }) => dimension).join('/'),
    factor: others.reduce((factor, other) => factor / other.factor, unit!.factor),
  }
}
