// What a spec says beside the controls of a studio, in the address: the controls write their part of the spec, and this the rest. A field
// is named by its path, at most two deep; null leaves out what the controls would write. So a spec that is opened is planned as written,
// whichever fields have a control.

/** As in JSON: specs hold nothing else. */
type SpecValue = string | number | boolean | null | readonly SpecValue[] | { readonly [name: string]: SpecValue | undefined }

export type SpecFields = { readonly [name: string]: SpecValue | undefined }

type FlatSpec = Readonly<Record<string, SpecValue>>

const isFields = (value: SpecValue | undefined): value is SpecFields => typeof value === 'object' && value !== null && !Array.isArray(value)

const flatSpec = (spec: SpecFields): FlatSpec =>
  Object.fromEntries(
    Object.entries(spec).flatMap(([name, value]): (readonly [string, SpecValue])[] => {
      if (value === undefined) return []
      if (!isFields(value)) return [[name, value]]
      return Object.entries(value).flatMap(([inner, each]) => (each === undefined ? [] : [[`${name}.${inner}`, each]]))
    }),
  )

const isSame = (a: SpecValue | undefined, b: SpecValue | undefined): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Empty if the controls write the whole spec. */
export function restOf(spec: SpecFields, written: SpecFields): string {
  const [all, own] = [flatSpec(spec), flatSpec(written)]
  const names = [...new Set([...Object.keys(all), ...Object.keys(own)])].filter((name) => !isSame(all[name], own[name]))
  return restText(Object.fromEntries(names.map((name) => [name, all[name] ?? null])))
}

const restText = (rest: FlatSpec): string => (Object.keys(rest).length === 0 ? '' : JSON.stringify(rest))

/** Undefined if the text is not of this form: an address can be edited by hand. */
export function readRest(rest: string): FlatSpec | undefined {
  if (rest === '') return {}
  try {
    const value: SpecValue = JSON.parse(rest)
    if (isFields(value))
      return Object.fromEntries(Object.entries(value).flatMap(([path, each]) => (each === undefined ? [] : [[path, each]])))
  } catch {
    // Not JSON.
  }
  return undefined
}

/** The spec that controls and rest say together. */
export function withRest<Spec extends SpecFields>(written: Spec, rest: string): Spec {
  const merged: FlatSpec = { ...flatSpec(written), ...readRest(rest) }
  const spec: Record<string, SpecValue> = {}
  for (const [path, value] of Object.entries(merged)) {
    const [name = '', inner] = path.split('.')
    if (value === null) continue
    const before = spec[name]
    spec[name] = inner === undefined ? value : { ...(isFields(before) ? before : {}), [inner]: value }
  }
  // The rest came from a spec of the same kind that was checked when it was opened.
  return spec as Spec
}

/** A control that is moved replaces what the rest said of the same fields. */
export function withoutChanged(rest: string, before: SpecFields, after: SpecFields): string {
  const [was, is] = [flatSpec(before), flatSpec(after)]
  return restText(Object.fromEntries(Object.entries(readRest(rest) ?? {}).filter(([path]) => isSame(was[path], is[path]))))
}

/** The change that a control makes to the state of its studio. */
export const controlChange =
  <State extends { readonly rest: string }>(written: (state: State) => SpecFields) =>
  (part: Partial<State>) =>
  (before: State): Partial<State> =>
    before.rest === '' ? part : { ...part, rest: withoutChanged(before.rest, written(before), written({ ...before, ...part })) }
