export { exportPlan, type Target, TARGETS } from './export-plan.ts'
export type { Exported } from './exported.ts'
export type { Program } from './slurm.ts'
export { exportServing, SERVING_TARGETS, type ServingTarget } from './serving/export-serving.ts'
