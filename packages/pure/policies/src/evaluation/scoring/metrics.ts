/** Figures of a set of items by their names; what cannot be said of the items is left out. */
export type Metrics = Readonly<Record<string, number>>
