import type { Desk } from '../../src/desk/index.js';

interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
  readonly handle?: { readonly stack?: readonly Layer[] };
}

/** Every route of the API that is mounted, as `METHOD path`. */
export function routesOf(desk: Desk): string[] {
  const walk = (layers: readonly Layer[]): string[] =>
    layers.flatMap(({ route, handle }) =>
      route
        ? Object.keys(route.methods).map((method) => `${method.toUpperCase()} ${route.path}`)
        : walk(handle?.stack ?? []),
    );
  return walk((desk as unknown as { stack: readonly Layer[] }).stack).filter((each) =>
    each.includes(' /api'),
  );
}
