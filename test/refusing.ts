export { refusingPort, refusingUrl } from '../packages/testing/src/suite/refusing.ts';
