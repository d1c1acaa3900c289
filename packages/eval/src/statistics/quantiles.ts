/**
 * Returns the quantile of the standard normal distribution, to about 14 digits where the smaller
 * tail is at least 0.001. The distribution is summed by the series of Marsaglia (2004), Evaluating
 * the normal distribution, J Stat Softw 11(4), and inverted by Newton's method, which from 0 on
 * does not overshoot, as the distribution is concave there.
 *
 * @param probability between 0 and 1
 * @example normalQuantile(0.975) // 1.959963984540054
 */
export function normalQuantile(probability: number): number {
  if (probability < 0.5) return -normalQuantile(1 - probability)
  let x = 0
  for (let step = 1, turns = 0; Math.abs(step) > 1e-15 && turns < 100; turns++) {
    const density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)
    step = (probability - 0.5 - density * sumSeries(x)) / density
    x += step
  }
  return x
}

/** Sums x + x³/3 + x⁵/(3·5) + …, which times the density is the area from 0 to x. */
function sumSeries(x: number): number {
  let sum = x
  for (let term = x, divisor = 3; term > sum * 1e-17; divisor += 2) {
    term *= (x * x) / divisor
    sum += term
  }
  return sum
}

/**
 * Returns the quantile of Student's t distribution. The area is the finite sum for whole degrees of
 * freedom, Abramowitz & Stegun (1964), Handbook of Mathematical Functions, 26.7.3 and 26.7.4, in
 * the angle atan(t / √degrees), which is bisected.
 *
 * @param probability at least 0.5, below 1
 * @param degrees whole, at least 1
 * @example tQuantile(0.975, 19) // 2.093…
 */
export function tQuantile(probability: number, degrees: number): number {
  let [low, high] = [0, Math.PI / 2]
  for (let turn = 0; turn < 60; turn++) {
    const middle = (low + high) / 2
    if (areaWithin(middle, degrees) < 2 * probability - 1) low = middle
    else high = middle
  }
  return Math.sqrt(degrees) * Math.tan(low)
}

/** Returns the probability of |T| < √degrees · tan(angle). */
function areaWithin(angle: number, degrees: number): number {
  const isOdd = degrees % 2 === 1
  const cosine = Math.cos(angle)
  let term = isOdd ? cosine : 1
  let sum = degrees === 1 ? 0 : term
  for (let at = isOdd ? 3 : 2; at <= degrees - 2; at += 2) {
    term *= ((at - 1) / at) * cosine * cosine
    sum += term
  }
  return isOdd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum
}
