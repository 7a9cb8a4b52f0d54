import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Client, ClientError } from './client.js';
import type { State } from './state.js';
import { type Store, useStore } from './store.js';
import { refusalText, t } from './strings/index.js';

/** What every part of the page can use. */
export interface DeskContext {
  readonly store: Store<State>;
  readonly client: Client;
  /** Shows a line to the agent for a while. */
  readonly say: (text: string) => void;
}

/** Where the page's parts find it. */
export const Desk = createContext<DeskContext | null>(null);

/** What every part of the page can use. */
export function useDesk(): DeskContext {
  const desk = useContext(Desk);
  if (!desk) throw new Error('a part of the desk is drawn outside of it');
  return desk;
}

/** A part of the state. `isSame` is for parts that `pick` makes anew each time. */
export function useDeskState<Part>(
  pick: (state: State) => Part,
  isSame?: (before: Part, now: Part) => boolean,
): Part {
  return useStore(useDesk().store, pick, isSame);
}

/** What a failure is called. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof ClientError)) return t('failedGeneric');
  return refusalText(error.code) ?? (error.message || t('failedGeneric'));
}

/** Does something that may fail, and tells the agent when it does. Resolves to whether it worked. */
export function useAttempt(): (work: () => Promise<unknown>) => Promise<boolean> {
  const { say } = useDesk();
  return async (work) => {
    try {
      await work();
      return true;
    } catch (error) {
      say(wordsOf(error));
      return false;
    }
  };
}
