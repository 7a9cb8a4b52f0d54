import type { PushView } from '../../api.js';
import type { Client } from './client.js';
import { isPreferred } from './store.js';
import { chosenLanguage } from './strings/index.js';

/** Visible pages report this often; the desk forgets a page that is silent for 50 seconds. */
const REPORT_MS = 20_000;

/** Browsers have push on HTTPS and localhost only, and some not at all. */
const isSupported = (): boolean => 'serviceWorker' in navigator && 'PushManager' in window;

/** The part of Trusted Types that is used here. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: () => string },
  ): { createScriptURL(text: string): string };
}

let workerUrl: string | undefined;

/** The page's policy lets it create this one script URL, once. */
function trustedWorkerUrl(): string {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
  const url = './service-worker.js';
  workerUrl ??=
    trustedTypes?.createPolicy('desk-service-worker', { createScriptURL: () => url }).createScriptURL('') ??
    url;
  return workerUrl;
}

/** The service worker of the desk in this browser, if it has been installed. */
export const workerOf = async (): Promise<ServiceWorkerRegistration | undefined> =>
  'serviceWorker' in navigator ? navigator.serviceWorker.getRegistration('./') : undefined;

/** Subscribes this browser, or renews its subscription; resolves to whether it has one. Never rejects. */
export async function subscribe(client: Client): Promise<boolean> {
  if (!isSupported()) return false;
  try {
    const { publicKey } = await client.call<PushView>('GET', 'api/push');
    if (publicKey === null) return false;
    await navigator.serviceWorker.register(trustedWorkerUrl(), { scope: './', updateViaCache: 'none' });
    const { pushManager } = await navigator.serviceWorker.ready;
    const subscription = await pushManager
      .subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
      .catch(async () => {
        // Subscribed with another key: the desk has a new database.
        await (await pushManager.getSubscription())?.unsubscribe();
        return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
      });
    const { endpoint, keys } = subscription.toJSON();
    await client.call('POST', 'api/push', {
      endpoint,
      keys,
      language: chosenLanguage(),
    });
    return true;
  } catch {
    // No push service, or no connection. While the page is open, it shows notifications itself.
    return false;
  }
}

export async function unsubscribe(client: Client): Promise<void> {
  const subscription = await (await workerOf())?.pushManager.getSubscription();
  if (!subscription) return;
  await client.call('POST', 'api/push/remove', { endpoint: subscription.endpoint }).catch(() => undefined);
  await subscription.unsubscribe();
}

/** Renews the subscription, and tells the desk while this page is visible, so that it does not push what the agent sees. */
export function followPush(client: Client): void {
  if (!isSupported()) return;
  const page = crypto.randomUUID();
  const report = (): void => {
    // The next report makes up for it.
    client.call('POST', 'api/push/visible', { page, isVisible: !document.hidden }).catch(() => undefined);
  };
  const renew = (): void => {
    if (isPreferred('notifications') && Notification.permission === 'granted') void subscribe(client);
  };
  renew();
  report();
  setInterval(() => {
    if (!document.hidden) report();
  }, REPORT_MS);
  document.addEventListener('visibilitychange', () => {
    report();
    // It belongs to the session, which a new password replaces.
    if (document.hidden) renew();
  });
  navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<{ open?: unknown }>) => {
    if (typeof data.open === 'string') location.hash = data.open;
  });
}
