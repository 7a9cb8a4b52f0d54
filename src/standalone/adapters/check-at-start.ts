import type { Log } from '../../internal/index.js';
import type { Connected } from './connect-adapter.js';

/**
 * Looks whether the human-service system is reachable and set up, and says what is not. It is no reason not to start:
 * what is wrong there may be right in a minute, and until then users are told that nobody is available.
 */
export async function checkAtStart(
  { name, check }: Pick<Connected, 'name' | 'check'>,
  log: Log,
  isStopping: () => boolean,
): Promise<void> {
  const results = await check();
  // What was cut off by the end says nothing.
  if (isStopping()) return;
  const wrong = results.filter(({ ok }) => !ok);
  const next = name === 'desk' ? '' : ' See: handoff-kit adapter check';
  for (const { name: what, detail } of wrong) {
    log.warn({ adapter: name, check: what }, `${name} is not in order: ${what}: ${detail}${next}`);
  }
  if (wrong.length === 0) log.info({ adapter: name }, `${name} is reachable and in order`);
}
