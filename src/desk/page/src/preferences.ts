/** Choices of an agent in this browser, all off at first. */
export type Preference = 'enter-sends' | 'undo-send' | 'notifications';

const keyOf = (name: Preference): string => `handoff-desk-${name}`;

/** Whether a choice is on. */
export const isOn = (name: Preference): boolean => localStorage.getItem(keyOf(name)) === 'on';

/** Turns a choice on or off. */
export const setOn = (name: Preference, on: boolean): void =>
  localStorage.setItem(keyOf(name), on ? 'on' : 'off');
