import { expect, test } from 'vitest'
import { scriptOf } from './index.ts'

test.each([
  ['Hello, world', 'latin'],
  ['Größe ist ×3÷4', 'latin'],
  ['Привет, мир', 'cyrillic'],
  ['Γειά σου', 'greek'],
  ['你好，世界', 'han'],
  ['東京都の人口は千四百万人です', 'kana'],
  ['안녕하세요', 'hangul'],
  ['مرحبا بالعالم', 'arabic'],
  ['שלום עולם', 'hebrew'],
  ['नमस्ते दुनिया', 'devanagari'],
  ['สวัสดีชาวโลก', 'thai'],
  ['Բարեւ աշխարհ', 'armenian'],
  ['12 + 3 = 15 👩‍👩‍👧', 'none'],
  ['', 'none'],
  ['A quiet evening', 'latin'],
  ['Grüße aus Łódź', 'latin'],
  ['Тихий вечер', 'cyrillic'],
  ['静かな夜のことでした', 'kana'],
  ['世界人权宣言', 'han'],
  ['조용한 저녁', 'hangul'],
  ['أمسية هادئة', 'arabic'],
  ['शांत शाम', 'devanagari'],
  ['1234 !? 🌍', 'none'],
  ['ወደ ገበያ', 'other'],
])('%j is %s', (text, script) => expect(scriptOf(text)).toBe(script))
