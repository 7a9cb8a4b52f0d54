import { createContext } from 'preact';
import { useCallback, useContext } from 'preact/hooks';
import type { Permission } from '../../api.js';
import { type Client, ClientError } from './client.js';
import type { Notify } from './notices.js';
import type { State } from './state.js';
import { type Store, useStore } from './store.js';
import { errorText, t } from './strings/index.js';

/** State and services of the page, for all components. */
export interface DeskContext {
  readonly store: Store<State>;
  readonly client: Client;
  readonly notify: Notify;
}

export const Desk = createContext<DeskContext | null>(null);

export function useDesk(): DeskContext {
  const desk = useContext(Desk);
  if (!desk) throw new Error('useDesk must be called inside of Desk.Provider');
  return desk;
}

/** A part of the state. `isSame` is for parts that `pick` recomputes each time. */
export function useDeskState<Part>(
  pick: (state: State) => Part,
  isSame?: (before: Part, now: Part) => boolean,
): Part {
  return useStore(useDesk().store, pick, isSame);
}

/** Whether the agent may do something. The server checks it regardless. */
export function useMay(permission: Permission): boolean {
  return useDeskState(useCallback((state: State) => state.may.includes(permission), [permission]));
}

/** The text of an error in the language of the page. */
export function errorMessageOf(error: unknown): string {
  if (!(error instanceof ClientError)) return t('failedGeneric');
  return errorText(error.code) ?? (error.message || t('failedGeneric'));
}

/** Runs something that may fail, and shows its error as a notice. Resolves to whether it worked. */
export type Attempt = (work: () => Promise<unknown>) => Promise<boolean>;

export const useAttempt = (): Attempt => createAttempt(useDesk().notify);

export function createAttempt(notify: Notify): Attempt {
  return async (work) => {
    try {
      await work();
      return true;
    } catch (error) {
      notify(errorMessageOf(error));
      return false;
    }
  };
}
