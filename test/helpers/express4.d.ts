/** Express 4, which is installed under another name; what tests use of it has the types of Express 5. */
declare module 'express4' {
  export { default } from 'express';
}
