import { sinonByVersion } from './fakes.ts';
import { describeRows } from './matrix.ts';

describeRows(sinonByVersion);
