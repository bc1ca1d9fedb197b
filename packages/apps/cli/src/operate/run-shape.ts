// What a plan asks of each node: the planner decides it once, for the command line and the console.

export { requestedDevices as devicesOf, nodesOf, resourcesOf } from '@ironlaw/planner'
