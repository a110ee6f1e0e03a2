export { type Migrated, migrate } from './rules/migrate.ts';
