import { describe, expect, test } from 'vitest'
import { language } from './language.ts'
import { language as smallLanguage } from './small-language.ts'

const FIRST_ARTICLE = {
  de: 'Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt.',
  en: 'All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience.',
  es: 'Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y conciencia.',
  fr: 'Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience.',
  ja: 'すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。',
  ru: 'Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью.',
  zh: '人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。',
}

describe('language', () => {
  test.each(Object.entries(FIRST_ARTICLE))('is %s', (code, text) => {
    const found = language(text)
    expect(found?.code).toBe(code)
    expect(found?.certainty).toBeGreaterThan(0.7)
    expect(language(`${text}\n`.repeat(100))?.code).toBe(code)
  })

  test.each(Object.entries(FIRST_ARTICLE))('is %s by the small tables', (code, text) => {
    expect(smallLanguage(text)?.code).toBe(code)
    expect(smallLanguage(text)?.certainty).toBeGreaterThan(0.6)
  })

  test('a long text is judged by its middle too', () => {
    const menu = 'Home | News | Login\n'
    expect(language(`${menu.repeat(5)}${`${FIRST_ARTICLE.de}\n`.repeat(20)}`)?.code).toBe('de')
  })

  test('a language that is not known has a low certainty', () => {
    // Basque is known, Welsh is not.
    expect(language("Genir pawb yn rhydd ac yn gydradd â'i gilydd mewn urddas a hawliau.")?.certainty ?? 0).toBeLessThan(0.6)
  })

  test.each(['', '12345 !!! ###', '\ud800', '👩‍👩‍👧'])('%j has none', (text) => expect(language(text)).toBeUndefined())
})
