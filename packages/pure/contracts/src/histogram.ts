// A histogram in Prometheus' sense: counts up to each bound.

export class Histogram {
  readonly #bounds: readonly number[]
  readonly #counts: number[]
  #sum = 0
  #total = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = bounds.map(() => 0)
  }

  observe(value: number): void {
    this.#sum += value
    this.#total += 1
    for (let index = 0; index < this.#bounds.length; index += 1) {
      if (value <= (this.#bounds[index] ?? 0)) {
        this.#counts[index] = (this.#counts[index] ?? 0) + 1
        return
      }
    }
  }

  text(name: string, labels: string): string {
    let below = 0
    const rows = this.#bounds.map((bound, index) => {
      below += this.#counts[index] ?? 0
      return `${name}_bucket{${labels},le="${bound}"} ${below}\n`
    })
    return `${rows.join('')}${name}_bucket{${labels},le="+Inf"} ${this.#total}\n${name}_sum{${labels}} ${this.#sum}\n${name}_count{${labels}} ${this.#total}\n`
  }
}

export type MetricSamples = { readonly help: string; readonly lines: readonly string[] }

/** A family of samples with its description, in Prometheus' text format 0.0.4. Lines end with a line feed. */
export const metricFamily = (name: string, type: 'counter' | 'gauge' | 'histogram', { help, lines }: MetricSamples): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`

/** A label's value between its quotation marks. */
export const labelValue = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
