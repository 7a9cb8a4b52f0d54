import { formatTime } from '../strings/index.js';

/** A time, for people and for programs. */
export function Time({ at, class: className }: { readonly at: number; readonly class?: string }) {
  return (
    <time class={className} dateTime={new Date(at).toISOString()}>
      {formatTime(at)}
    </time>
  );
}
