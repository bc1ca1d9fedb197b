// Words for people in decisions.

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
