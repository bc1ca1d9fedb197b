// Arguments of Megatron-LM, and what a part of a plan becomes: flags, warnings, or what the arguments cannot express.

/** A flag and the values that it takes, mostly one or none. */
export type Flag = readonly [name: string, ...values: (string | number)[]]
export type Flags = readonly Flag[]
export type FlagGroup = { readonly flags: Flags; readonly warnings?: readonly string[]; readonly impossible?: readonly string[] }

export const flagsIf = (when: boolean, ...flags: Flags): Flags => (when ? flags : [])
