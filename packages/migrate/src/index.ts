export { type MigrationResult, migrate } from './rules/migrate.ts';
