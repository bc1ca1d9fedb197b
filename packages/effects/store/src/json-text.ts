// The text of a jsonb value. PostgreSQL refuses the character NUL and halves of surrogate pairs, which the last lines of a dying
// program may well contain; they become U+FFFD here, before anything is hashed or stored.

/** JSON.stringify writes exactly these as escapes; pairs of backslashes before one are backslashes of the text itself. */
const UNSTORABLE = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g

export const jsonText = (value: object | string | number | boolean | null): string =>
  JSON.stringify(value).replaceAll(UNSTORABLE, '$1\uFFFD')
