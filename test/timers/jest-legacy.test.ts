import { legacyJestByVersion } from './fakes.ts';
import { describeRows } from './matrix.ts';

describeRows(legacyJestByVersion);
