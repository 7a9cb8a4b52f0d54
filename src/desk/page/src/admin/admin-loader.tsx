import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../strings/index.js';

/** The settings, whose code is loaded when an agent opens them. */
export function AdminLoader({ tab }: { readonly tab: string }) {
  const [loaded, setLoaded] = useState<{ readonly Admin: ComponentType<{ tab: string }> } | null>(null);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    import('./admin.js').then(setLoaded, () => setFailed(true));
  }, []);
  if (hasFailed) return <p class="hint">{t('errorUNREACHABLE')}</p>;
  return loaded ? <loaded.Admin tab={tab} /> : <p class="hint">…</p>;
}
