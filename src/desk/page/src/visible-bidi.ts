import { options, type VNode } from 'preact';

/** Embeddings, overrides and isolates, which can make a text read as another one. Marks of direction stay. */
const CONTROLS = /[\u202A-\u202E\u2066-\u2069]/g;

/** Replaces controls of the writing direction by their number, so that agents see them and they do nothing. */
export const withVisibleBidi = (text: string): string =>
  text.replace(CONTROLS, (control) => `[U+${control.charCodeAt(0).toString(16).toUpperCase()}]`);

const visibleIn = (value: unknown): unknown => {
  if (typeof value === 'string') return withVisibleBidi(value);
  return Array.isArray(value) ? value.map(visibleIn) : value;
};

/** Text for other places than the content of an element. */
const ATTRIBUTES = ['title', 'aria-label'];

/**
 * Makes such controls visible in every text that the page renders, whoever wrote it. The values of fields stay as they
 * are, because they are sent.
 */
export function makeBidiVisible(): void {
  options.vnode = (vnode: VNode) => {
    const props = vnode.props as Record<string, unknown> | null;
    if (typeof vnode.type === 'string' && props) {
      if (props.children !== undefined) props.children = visibleIn(props.children);
      for (const name of ATTRIBUTES) if (name in props) props[name] = visibleIn(props[name]);
    }
  };
}
