// One value out of Prometheus' text format.

/** The sum over all series of that name; undefined where there is none. */
export function sampleIn(text: string, name: string): number | undefined {
  const values = text
    .split('\n')
    .filter((line) => line.startsWith(name) && (line[name.length] === '{' || line[name.length] === ' '))
    .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)))
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0)
}
