/** Links of the web, and code between backticks. */
const PARTS = /(https?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}。，；：！？）】])|`([^`\n]+)`/g;

/**
 * A message as text, with links that can be clicked and inline code. A link shows its whole address, so that its text cannot
 * claim another; it tells the other site nothing about the desk.
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
