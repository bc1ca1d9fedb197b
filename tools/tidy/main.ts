// The house rules as a program: `npm run tidy`.

import { circleFaults } from './circles.ts'
import { HOUSE_RULES } from './house-rules.ts'
import { layerFaults } from './layers.ts'
import { projectTree } from './tree.ts'
import { wireShapeFaults } from './wire-shapes.ts'

const tree = projectTree()
const faults = [...layerFaults(tree), ...circleFaults(tree), ...wireShapeFaults(tree), ...HOUSE_RULES.flatMap((rule) => rule(tree))]
for (const fault of faults) console.error(fault)
console.log(`tidy: ${tree.paths.length} files, ${faults.length} faults`)
process.exitCode = faults.length === 0 ? 0 : 1
