/** Express 4 is installed as `express4`. For the tests, the types of Express 5 fit. */
declare module 'express4' {
  export { default } from 'express';
}
