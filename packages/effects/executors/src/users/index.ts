// Users that jobs run as, for whoever starts executors and touches the files of jobs.

export { commandAs, setprivArguments, userEnvironment } from './command-as.ts'
export { canBecome, findUnixUser, isPrivileged, type JobUsers, NO_USERS, type UnixUser, userProblem, userRefusal } from './unix-user.ts'
