import { modernJestByVersion } from './fakes.ts';
import { describeRows } from './matrix.ts';

describeRows(modernJestByVersion);
