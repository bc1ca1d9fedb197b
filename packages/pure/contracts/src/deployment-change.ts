// The fields that a change to a deployment touches: for the confirmation prompt, for the audit trail, and for a user who was about to
// overwrite the change.

type Scalar = string | number | boolean | null

/** `now` is absent where the field is not set yet, `next` where it will not be. */
export type FieldChange = { readonly path: string; readonly now?: Scalar; readonly next?: Scalar }

export function fieldChanges(now: object, next: object): readonly FieldChange[] {
  const [before, after] = [fieldsOf(now), fieldsOf(next)]
  return [...new Set([...before.keys(), ...after.keys()])]
    .toSorted()
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => ({ path, ...optionalField('now', before.get(path)), ...optionalField('next', after.get(path)) }))
}

const optionalField = (name: 'now' | 'next', value: Scalar | undefined): object => (value === undefined ? {} : { [name]: value })

/** Objects by path; a list is one value, because a single element means little on its own. */
function fieldsOf(value: object): ReadonlyMap<string, Scalar> {
  return new Map(
    Object.entries(value).flatMap(([name, each]: readonly [string, unknown]): (readonly [string, Scalar])[] => {
      if (each === undefined) return []
      if (typeof each === 'object' && each !== null && !Array.isArray(each))
        return [...fieldsOf(each)].map(([path, inner]) => [`${name}.${path}`, inner])
      return [[name, isScalar(each) ? each : JSON.stringify(each)]]
    }),
  )
}

const isScalar = (value: unknown): value is Scalar => value === null || ['string', 'number', 'boolean'].includes(typeof value)

/** The most fields that the sentence of an event names; the event itself holds all of them. */
const MOST_NAMED = 6

export function fieldChangesText(changes: readonly FieldChange[]): string {
  const text = (value: Scalar | undefined): string => (value === undefined ? 'default' : String(value))
  const named = changes.slice(0, MOST_NAMED).map(({ path, now, next }) => `${path} ${text(now)} to ${text(next)}`)
  const more = changes.length > MOST_NAMED ? [`${changes.length - MOST_NAMED} more`] : []
  return changes.length === 0 ? 'nothing' : [...named, ...more].join(', ')
}
