import { here } from './fakes.ts';
import { describeRows } from './matrix.ts';

describeRows(here);
