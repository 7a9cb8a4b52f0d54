import { useEffect, useState } from 'preact/hooks';

/** The view that the URL selects: a conversation, the dashboard, the settings, or the inbox alone. */
export type Route =
  | { readonly kind: 'list' }
  | { readonly kind: 'dashboard' }
  | { readonly kind: 'settings'; readonly tab: string }
  | { readonly kind: 'conversation'; readonly id: string };

export function routeOf(hash: string): Route {
  const path = hash.replace(/^#\/?/, '');
  if (path === '') return { kind: 'list' };
  if (path === 'dashboard') return { kind: 'dashboard' };
  if (/^settings(\/|$)/.test(path)) return { kind: 'settings', tab: path.slice('settings/'.length) };
  return { kind: 'conversation', id: decode(path) };
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

export const hrefOf = (id: string): string => `#/${encodeURIComponent(id)}`;

/** Opens a conversation, or the inbox with `null`. */
export function navigateTo(id: string | null): void {
  location.hash = id === null ? '#/' : hrefOf(id);
}

/** Whether a conversation is on screen, so that its updates need no notice. */
export function isVisible(id: string): boolean {
  const route = routeOf(location.hash);
  return route.kind === 'conversation' && route.id === id && !document.hidden;
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash));
  useEffect(() => {
    const look = (): void => setRoute(routeOf(location.hash));
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, []);
  return route;
}
