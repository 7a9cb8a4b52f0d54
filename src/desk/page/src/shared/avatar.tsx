import { hueOf, initialsOf } from '../identity.js';

/** A picture for a person: their initials on a colour. The name stands beside it, so it is hidden from screen readers. */
export function Avatar({ name, size = '' }: { readonly name: string; readonly size?: 'small' | '' }) {
  return (
    <span class={`avatar hue-${hueOf(name)} ${size}`} aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}
