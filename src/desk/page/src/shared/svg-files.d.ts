/** The text of a file, which Vite puts into the script. */
declare module '*.svg?raw' {
  const text: string;
  export default text;
}
