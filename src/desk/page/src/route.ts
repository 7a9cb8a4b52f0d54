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

/** The questions to ask before the view or the page is left: one for each form with edits. */
const leaveQuestions = new Set<() => string>();

const askBrowser = (event: Event): void => event.preventDefault();

/** Asks before the agent leaves the view or the page. Returns a function that ends it. */
export function askBeforeLeaving(question: () => string): () => void {
  leaveQuestions.add(question);
  addEventListener('beforeunload', askBrowser);
  return () => {
    leaveQuestions.delete(question);
    if (leaveQuestions.size === 0) removeEventListener('beforeunload', askBrowser);
  };
}

/** Whether the view may be left or drawn anew: the agent is asked, once, if that loses something. */
export function mayLeave(): boolean {
  const [question] = leaveQuestions;
  return question === undefined || confirm(question());
}

export function useRoute(): Route {
  const [first] = useState(() => location.hash);
  const [route, setRoute] = useState(() => routeOf(first));
  useEffect(() => {
    let shown = first;
    const look = (): void => {
      if (location.hash === shown) return;
      if (!mayLeave()) {
        history.pushState(null, '', shown);
        return;
      }
      shown = location.hash;
      setRoute(routeOf(shown));
    };
    addEventListener('hashchange', look);
    // Effects run after the first frame: the agent may have gone elsewhere by then.
    look();
    return () => removeEventListener('hashchange', look);
  }, []);
  return route;
}
