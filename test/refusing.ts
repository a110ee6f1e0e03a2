export { refusingPort, refusingUrl } from '../packages/core/src/testing/suite/refusing.ts';
