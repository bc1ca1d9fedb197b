// Words for people in decisions.

export const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Hours and minutes of a unix time, UTC. */
export function timeOfDay(at: number): string {
  const minutes = Math.floor(at / 60) % 1440
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')} UTC`
}
