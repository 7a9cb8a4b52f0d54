import { expect, it } from 'vitest';
import { createNotifications } from '../../src/delivery/postgres/notifications.js';
import { createServers } from '../../src/delivery/postgres/primary.js';

it.each([1, 2, 3, 4, 5])(
  'sends a topic that is published %i microtasks after the last was sent',
  async (microtasks) => {
    const sent: string[] = [];
    let onSent = (): void => {};
    const notifications = createNotifications({
      channel: 'test',
      connection: { servers: createServers([]), settings: {} },
      async query(_sql, [, topics]) {
        sent.push(...JSON.parse(String(topics)));
        onSent();
        return [];
      },
      onError: (error) => expect.unreachable(String(error)),
      onMissing: () => expect.unreachable(),
    });
    const done = new Promise<void>((resolve) => {
      onSent = () => {
        onSent = resolve;
        let next = Promise.resolve();
        for (let count = 0; count < microtasks; count += 1) next = next.then(() => {});
        void next.then(() => notifications.publish('second'));
      };
    });
    notifications.publish('first');
    await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 500))]);
    expect(sent).toEqual(['first', 'second']);
    await notifications.stop();
  },
);
