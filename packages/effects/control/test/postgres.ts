export { SERVER_ABSENT, startPrivateServer } from '../../store/test/private-server.ts'
export { silentProxy } from '../../store/test/silent-proxy.ts'
