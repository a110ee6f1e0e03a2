import { ofVitest, playInVitest } from './in-vitest.ts';
import { describeCells } from './matrix.ts';
import { WHENS } from './play.ts';

for (const row of ofVitest) for (const when of WHENS) describeCells(row, when, 'Node', playInVitest);
