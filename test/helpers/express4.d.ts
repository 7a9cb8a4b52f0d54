/** Express 4 is installed as `express4`; the types of Express 5 fit what tests use. */
declare module 'express4' {
  export { default } from 'express';
}
