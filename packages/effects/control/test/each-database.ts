export { onEachDatabase, onServer } from '../../store/test/each-database.ts'
