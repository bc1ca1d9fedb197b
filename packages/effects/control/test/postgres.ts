export { SERVER_ABSENT, startPrivateServer } from '../../store/test/private-server.ts'
