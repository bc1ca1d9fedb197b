// Moving the decimal point of a number's shortest text is exact where multiplying by a power of ten is not:
// 1.1e9 + 1 written as "1.100000001 GB" must read back as the same double.

/** The shortest decimal text of `value / 10^power`. */
export function shiftedText(value: number, power: number): string {
  const [mantissa = '0', exponent = '0'] = Math.abs(value).toExponential().split('e')
  const digits = mantissa.replace('.', '')
  const sign = value < 0 ? '-' : ''
  return sign + plainDecimal(digits, Number(exponent) - power)
}

/** `digits` are the significant digits, the first standing at 10^exponent. */
function plainDecimal(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  const fraction = digits.slice(exponent + 1)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** The double nearest to `text x 10^power`, `text` being a decimal number with an optional exponent. */
export function shiftedNumber(text: string, power: number): number {
  const [mantissa = '0', exponent = '0'] = text.toLowerCase().split('e')
  return Number(`${mantissa}e${Number(exponent) + power}`)
}

/** The text of a number rounded to significant digits, without trailing zeros or an exponent. */
export function roundedText(value: number, digits: number): string {
  return shiftedText(Number(value.toPrecision(digits)), 0)
}
