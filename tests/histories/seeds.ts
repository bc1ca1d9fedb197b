// In which order seeds are tried.

/** All of 1 to `last`, the one that is known to show something first: the others are only needed once a change hides it there. */
export const seedsFrom = (known: number, last: number): readonly number[] => [
  known,
  ...Array.from({ length: last }, (_, index) => index + 1).filter((seed) => seed !== known),
]
