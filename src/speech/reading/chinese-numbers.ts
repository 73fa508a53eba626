const FIGURES = '零一二三四五六七八九'
const POWERS = ['', '十', '百', '千']
const MYRIADS = ['', '万', '亿', '万亿']
/** More figures than these are no quantity. */
const FIGURES_MAX = 16

/** A whole number in figures, as Chinese says it: 250 is 二百五十, 2200 两千二百, 1005 一千零五. */
export function chineseNumber(digits: string): string {
  if (digits.length > FIGURES_MAX || /^0\d/.test(digits)) return chineseDigits(digits)
  const groups = digits.match(/\d{1,4}(?=(?:\d{4})*$)/g) ?? []
  let said = ''
  let owesZero = false
  groups.forEach((group, index) => {
    const value = Number(group)
    if (value === 0) {
      owesZero = said !== ''
      return
    }
    if (said !== '' && (owesZero || value < 1_000)) said += '零'
    owesZero = false
    const words = chineseGroup(value)
    const isTwo = value === 2 && index < groups.length - 1
    said += (isTwo ? '两' : words) + MYRIADS[groups.length - 1 - index]
  })
  return said === '' ? '零' : said.replace(/^一十/, '十')
}

/** Figure by figure, as years and telephone numbers are said. */
export function chineseDigits(digits: string): string {
  return Array.from(digits, (digit) => FIGURES.charAt(Number(digit))).join('')
}

/** With a decimal point: 3.14 is 三点一四. */
export function chineseDecimal(number: string): string {
  const [whole = '', fraction] = number.replaceAll(',', '').split('.')
  return chineseNumber(whole) + (fraction === undefined ? '' : `点${chineseDigits(fraction)}`)
}

/** 1 to 9,999. */
function chineseGroup(value: number): string {
  let said = ''
  let owesZero = false
  for (let power = 3; power >= 0; power -= 1) {
    const figure = Math.floor(value / 10 ** power) % 10
    if (figure === 0) {
      owesZero = said !== ''
      continue
    }
    if (owesZero) said += '零'
    owesZero = false
    said += (figure === 2 && power >= 2 ? '两' : FIGURES.charAt(figure)) + POWERS[power]
  }
  return said
}
