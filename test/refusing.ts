export { refusingPort, refusingUrl } from '../packages/testing/src/suite/refusal.ts';
