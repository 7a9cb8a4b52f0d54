import { options, type VNode } from 'preact';

/** Web links, and code between backticks. */
const PARTS = /(https?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}。，；：！？）】])|`([^`\n]+)`/g;

/**
 * A message as text, with clickable links and inline code. A link shows its whole address, so it cannot pretend to lead
 * elsewhere, and tells the other site nothing about the desk.
 */
export function RichText({ text }: { readonly text: string }) {
  return <p dir="auto">{partsOf(text)}</p>;
}

function partsOf(text: string) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(PARTS)) {
    const [whole, href, code] = match;
    parts.push(text.slice(end, match.index));
    parts.push(
      href === undefined ? (
        <code key={match.index}>{code}</code>
      ) : (
        <a key={match.index} href={href} target="_blank" rel="noopener noreferrer nofollow">
          {href}
        </a>
      ),
    );
    end = match.index + whole.length;
  }
  return [...parts, text.slice(end)];
}

/** Bidirectional embeddings, overrides and isolates, which can disguise a text. Direction marks are harmless. */
const CONTROLS = /[\u202A-\u202E\u2066-\u2069]/g;

/** Replaces bidirectional controls by their code points, so that agents see them and they have no effect. */
export const withVisibleBidi = (text: string): string =>
  text.replace(CONTROLS, (control) => `[U+${control.charCodeAt(0).toString(16).toUpperCase()}]`);

const visibleIn = (value: unknown): unknown => {
  if (typeof value === 'string') return withVisibleBidi(value);
  return Array.isArray(value) ? value.map(visibleIn) : value;
};

/** Attributes that hold text. */
const ATTRIBUTES = ['title', 'aria-label'];

/**
 * Makes these controls visible in every text that the page renders, whoever wrote it. Field values stay unchanged,
 * because they are sent.
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
