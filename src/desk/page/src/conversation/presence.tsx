import { useCallback, useEffect, useRef } from 'preact/hooks';
import type { PresenceView } from '../../../api.js';
import { useDesk, useDeskState } from '../desk-context.js';
import type { State } from '../state.js';
import { t } from '../strings/index.js';

/** The desk forgets an agent who is silent for a minute. */
const REPEAT_MS = 25_000;
/** After this long without a key, an agent has stopped typing. */
const TYPING_MS = 5_000;

/** Tells other agents that this one is viewing a conversation. Returns a function to call for each key typed. */
export function useOwnPresence(id: string): () => void {
  const { client } = useDesk();
  const stopTyping = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const say = (conversation: string | null, isTyping: boolean): void => {
    // The next report makes up for it.
    client.setPresence({ conversation, isTyping }).catch(() => undefined);
  };
  const look = (): void => say(document.hidden ? null : id, stopTyping.current !== undefined);

  useEffect(() => {
    look();
    const timer = setInterval(look, REPEAT_MS);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      clearTimeout(stopTyping.current);
      document.removeEventListener('visibilitychange', look);
      say(null, false);
    };
  }, [id]);

  return () => {
    const isNew = stopTyping.current === undefined;
    clearTimeout(stopTyping.current);
    stopTyping.current = setTimeout(() => {
      stopTyping.current = undefined;
      look();
    }, TYPING_MS);
    if (isNew) look();
  };
}

const isSame = (a: readonly PresenceView[], b: readonly PresenceView[]): boolean =>
  a.length === b.length && a.every((each, index) => each === b[index]);

/** The other agents who view a conversation or type in it. */
export function OtherAgents({ id }: { readonly id: string }) {
  const others = useDeskState(
    useCallback(
      ({ presence, me }: State) =>
        presence.filter(({ agent, conversation }) => conversation === id && agent !== me.id),
      [id],
    ),
    isSame,
  );
  const agents = useDeskState(useCallback((state: State) => state.agents, []));
  const nameOf = (agentId: string): string => agents.find((each) => each.id === agentId)?.name ?? agentId;
  return (
    <>
      {others.map(({ agent, isTyping }) => (
        <span key={agent} class={`present ${isTyping ? 'typing' : ''}`}>
          {t(isTyping ? 'isTyping' : 'isLooking', { agent: nameOf(agent) })}
        </span>
      ))}
    </>
  );
}
