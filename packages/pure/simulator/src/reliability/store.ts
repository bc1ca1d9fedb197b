// What all nodes together write to shared storage. A store is bought for its fleet: Llama 3 had 2 TB/s for 16,384 accelerators.

/** Bytes per second and node: 2 TB/s sustained for 2,048 nodes (Llama Team 2024, arXiv:2407.21783; `llama3-store` of facts/reliability-runs). */
const PER_NODE = 2e12 / 2048

/** `least`: what the smallest store of the kind has for all together. */
export function storeBandwidth(least: number, nodes: number): { readonly value: number; readonly from: string } {
  const grown = PER_NODE * nodes
  return grown > least
    ? { value: grown, from: 'grows with the fleet: as much for a node as Llama 3 had, 2 TB/s for 2,048 (arXiv:2407.21783)' }
    : { value: least, from: 'a parallel file system, all nodes together' }
}
