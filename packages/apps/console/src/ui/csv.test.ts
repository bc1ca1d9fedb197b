import { expect, test } from 'vitest'
import { csvText } from './csv.ts'

test.each([
  ['numbers as they are', [1, 0.25, -3e-7], '1,0.25,-3e-7'],
  ['what divides or quotes is quoted', ['a,b', 'say "yes"', 'two\nlines'], '"a,b","say ""yes""","two\nlines"'],
  ['what a spreadsheet would run stays text', ['=cmd()', '@x', '-2+3', '-2.5 s'], "'=cmd(),'@x,'-2+3,-2.5 s"],
])('%s', (_, row, text) => {
  expect(csvText([row])).toBe(text)
})
