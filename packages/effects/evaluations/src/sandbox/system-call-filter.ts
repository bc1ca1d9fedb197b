// System calls that a program in the sandbox is refused: memory that no limit of a process counts, and doors to the kernel and to keys that no
// answer needs. A filter in classic BPF, as the kernel's seccomp takes it.

type Machine = { readonly audit: number; readonly calls: readonly number[]; readonly mostCalls: number }

/**
 * In this order: shmget, memfd_create, memfd_secret, userfaultfd, bpf, io_uring_setup, perf_event_open, add_key, request_key, keyctl, ptrace.
 * Numbers are those of the kernel's tables. Above `mostCalls` x86 numbers a second set of all calls.
 */
const MACHINES: Readonly<Partial<Record<NodeJS.Architecture, Machine>>> = {
  x64: { audit: 0xc000003e, calls: [29, 319, 447, 323, 321, 425, 298, 248, 249, 250, 101], mostCalls: 0x40000000 },
  arm64: { audit: 0xc00000b7, calls: [194, 279, 447, 282, 280, 425, 241, 217, 218, 219, 117], mostCalls: 0xffffffff },
}

const LOAD_WORD = 0x20
const JUMP_IF_EQUAL = 0x15
const JUMP_IF_AT_LEAST = 0x35
const RETURN = 0x06
const ALLOW = 0x7fff0000
const KILL = 0x80000000
/** The call fails with EPERM. */
const REFUSE = 0x00050001
/** Where the kernel puts the number of the call, and the machine it is made for. */
const CALL_AT = 0
const MACHINE_AT = 4
const INSTRUCTION_BYTES = 8

type Instruction = { readonly code: number; readonly ifTrue?: number; readonly ifFalse?: number; readonly value: number }

/** Undefined on a machine whose numbers are not known here. */
export function systemCallFilter(machine: NodeJS.Architecture): Buffer | undefined {
  const known = MACHINES[machine]
  if (!known) return undefined
  const { audit, calls, mostCalls } = known
  // After the tests stand two returns: what is allowed, then what is refused.
  const tests = [{ code: JUMP_IF_AT_LEAST, value: mostCalls }, ...calls.map((value) => ({ code: JUMP_IF_EQUAL, value }))]
  const instructions: readonly Instruction[] = [
    { code: LOAD_WORD, value: MACHINE_AT },
    { code: JUMP_IF_EQUAL, ifTrue: 1, value: audit },
    { code: RETURN, value: KILL },
    { code: LOAD_WORD, value: CALL_AT },
    ...tests.map((test, index) => ({ ...test, ifTrue: tests.length - index })),
    { code: RETURN, value: ALLOW },
    { code: RETURN, value: REFUSE },
  ]
  const filter = Buffer.alloc(INSTRUCTION_BYTES * instructions.length)
  for (const [index, { code, ifTrue = 0, ifFalse = 0, value }] of instructions.entries()) {
    const at = INSTRUCTION_BYTES * index
    filter.writeUInt16LE(code, at)
    filter.writeUInt8(ifTrue, at + 2)
    filter.writeUInt8(ifFalse, at + 3)
    filter.writeUInt32LE(value, at + 4)
  }
  return filter
}
