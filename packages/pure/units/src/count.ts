// How many of a thing, as a sentence says it.

/** "1 node", "2,048 nodes"; a plural that is not the noun with an s is given. */
export const counted = (value: number, noun: string, plural = `${noun}s`): string =>
  `${Math.round(value).toLocaleString('en')} ${Math.round(value) === 1 ? noun : plural}`
