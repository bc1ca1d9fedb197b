export { onEachDatabase } from '../../store/test/each-database.ts'
