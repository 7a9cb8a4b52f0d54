/** The colours of the page: the system's, or the agent's choice in this browser. */
export type Theme = 'system' | 'light' | 'dark';

const STORAGE_KEY = 'handoff-desk-theme';

export function chosenTheme(): Theme {
  const stored = localStorage.getItem(STORAGE_KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(STORAGE_KEY, theme);
  applyTheme();
}

/** The styles follow the attribute. */
export function applyTheme(): void {
  document.documentElement.dataset.theme = chosenTheme();
}
