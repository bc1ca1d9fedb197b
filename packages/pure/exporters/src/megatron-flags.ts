// Arguments of Megatron-LM, and what a part of a plan becomes: flags, warnings, or what the arguments cannot express.

export type Flag = readonly [name: string, value?: string | number]
export type Flags = readonly Flag[]
export type FlagGroup = { readonly flags: Flags; readonly warnings?: readonly string[]; readonly impossible?: readonly string[] }

export const flagsIf = (when: boolean, ...flags: Flags): Flags => (when ? flags : [])
