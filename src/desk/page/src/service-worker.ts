import type { PushMessage } from '../../api.js';

/**
 * Shows the desk's notifications while its page is closed, and opens the conversation on a click. It handles no requests
 * and stores nothing. Its texts are here, since it imports no other file.
 */
const TEXTS: Readonly<
  Record<PushMessage['language'], Readonly<Record<PushMessage['kind'] | 'title', string>>>
> = {
  en: {
    title: 'Desk',
    message: 'New message',
    assigned: 'A conversation was assigned to you',
    waiting: 'A conversation is waiting',
  },
  zh: { title: '客服台', message: '新消息', assigned: '有会话分配给你', waiting: '有会话在等待' },
};

/** The parts of a service worker's scope that are used here: TypeScript has them in a library that excludes the DOM. */
interface WorkerScope {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    matchAll(options: object): Promise<readonly WindowClient[]>;
    openWindow(url: string): Promise<unknown>;
  };
  addEventListener(type: 'push', listener: (event: PushEventLike) => void): void;
  addEventListener(type: 'notificationclick', listener: (event: ClickEventLike) => void): void;
}
interface WindowClient {
  readonly url: string;
  focus(): Promise<unknown>;
  postMessage(message: unknown, transfer: readonly []): void;
}
interface WaitingEvent {
  waitUntil(done: Promise<unknown>): void;
}
interface PushEventLike extends WaitingEvent {
  readonly data: { json(): unknown } | null;
}
interface ClickEventLike extends WaitingEvent {
  readonly notification: Notification;
}

const worker = self as unknown as WorkerScope;

/** The open pages of the desk; other pages of the host application are left alone. */
async function pages(): Promise<readonly WindowClient[]> {
  const all = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  return all.filter(({ url }) => url.startsWith(worker.registration.scope));
}

async function show({ kind, conversation, language }: PushMessage): Promise<void> {
  const texts = TEXTS[language];
  const tag = `#/${encodeURIComponent(conversation)}`;
  // One per conversation. A page in the background has shown it already, with the customer's name.
  const isPageOpen = (await pages()).length > 0;
  const [shown] = isPageOpen ? await worker.registration.getNotifications({ tag }) : [];
  const options = { body: shown?.body ?? texts[kind], tag, renotify: !isPageOpen };
  await worker.registration.showNotification(texts.title, options);
}

/** The tag of a notification is the link to its conversation. */
async function open(href: string): Promise<void> {
  const [page] = await pages();
  if (!page) {
    await worker.clients.openWindow(new URL(href, worker.registration.scope).href);
    return;
  }
  page.postMessage({ open: href }, []);
  await page.focus();
}

worker.addEventListener('push', (event) => {
  if (event.data) event.waitUntil(show(event.data.json() as PushMessage));
});
worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.tag));
});
