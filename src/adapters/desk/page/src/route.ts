import { useEffect, useState } from 'preact/hooks';

/** What the page shows: a conversation, the dashboard, or the list alone. */
export type Route =
  | { readonly kind: 'list' }
  | { readonly kind: 'dashboard' }
  | { readonly kind: 'conversation'; readonly id: string };

/** Reads the part of the address after the hash. */
export function routeOf(hash: string): Route {
  const path = hash.replace(/^#\/?/, '');
  if (path === '') return { kind: 'list' };
  if (path === 'dashboard') return { kind: 'dashboard' };
  return { kind: 'conversation', id: decoded(path) };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The address of a conversation. */
export const addressOf = (id: string): string => `#/${encodeURIComponent(id)}`;

/** Goes to a conversation, or to the list. */
export function goTo(id: string | null): void {
  location.hash = id === null ? '#/' : addressOf(id);
}

/** Whether a conversation is before somebody's eyes: what happens in it need not be told beside it. */
export function isLookedAt(id: string): boolean {
  const route = routeOf(location.hash);
  return route.kind === 'conversation' && route.id === id && !document.hidden;
}

/** What the address says now. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash));
  useEffect(() => {
    const look = (): void => setRoute(routeOf(location.hash));
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, []);
  return route;
}
