/** How an attempt ended. */
export type Ending =
  | { readonly state: 'done'; readonly answer?: unknown }
  | { readonly state: 'dead'; readonly error: string }
  | { readonly state: 'waiting'; readonly error: string; readonly afterMs: number };
