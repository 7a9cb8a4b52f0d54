import type { Check } from '../check.js';
import { found } from '../failure.js';
import { watchOpen } from '../left-open.js';
import { errorOf, newMessage, newSession, refOf } from '../rig.js';

/** What an adapter does when something ends. */
export const endingChecks: readonly Check[] = [
  {
    id: 'close',
    title: 'close ends the conversation for the agents',
    expected: 'the agents can see that it is over.',
    advice: 'set the status of the conversation, or where the system has none, write that it is over.',
    async run(rig) {
      const adapter = await rig.make();
      const session = newSession();
      const ref = refOf(session, await adapter.open(session, rig.call));
      await adapter.close(ref, { by: 'user', text: 'The user has left.' }, rig.call);
      await rig.until(
        'the conversation to be closed',
        async () => (await rig.system.read(ref.externalId)).isClosed,
      );
    },
  },
  {
    id: 'close-twice',
    title: 'close of a closed conversation is a success',
    expected: 'no error, and it stays closed.',
    advice: 'take the answer by which the system says "it is closed already" for a success.',
    async run(rig) {
      const adapter = await rig.make();
      const session = newSession();
      const ref = refOf(session, await adapter.open(session, rig.call));
      for (const time of ['first', 'second']) {
        const closing = adapter.close(ref, { by: 'user', text: 'The user has left.' }, rig.call);
        const error = await errorOf('close', closing);
        if (error) found(`the ${time} close failed with kind "${error.kind}": ${error.message}`);
      }
      await rig.until(
        'the conversation to be closed',
        async () => (await rig.system.read(ref.externalId)).isClosed,
      );
    },
  },
  {
    id: 'close-after-agent',
    title: 'close after an agent closed is a success',
    needs: ['close'],
    expected: 'no error, and it stays closed.',
    advice: 'take the answer by which the system says "it is closed already" for a success.',
    async run(rig) {
      const adapter = await rig.make();
      const session = newSession();
      const ref = refOf(session, await adapter.open(session, rig.call));
      await rig.system.agent.close?.(ref.externalId);
      const closing = adapter.close(ref, { by: 'user', text: 'The user has left.' }, rig.call);
      const error = await errorOf('close', closing);
      if (error) found(`close failed with kind "${error.kind}": ${error.message}`);
      if (!(await rig.system.read(ref.externalId)).isClosed) found('it is open again.');
    },
  },
  {
    id: 'dispose',
    title: 'dispose leaves nothing behind',
    expected: 'no timer, no connection and no server of the adapter is left once dispose has resolved.',
    advice: 'end in dispose what the adapter began: intervals, sockets, agents. Twice must be once.',
    async run(rig) {
      const watch = watchOpen();
      try {
        await watch.run(async () => {
          const adapter = await rig.make();
          const session = newSession();
          const ref = refOf(session, await adapter.open(session, rig.call));
          const ear = await rig.listen(adapter);
          await adapter.send(ref, newMessage('Are you there?'), rig.call);
          await adapter.check(rig.call);
          await ear.stop();
          await adapter.dispose?.();
          await adapter.dispose?.();
        });
        // Connections that are kept for later end with the other side.
        await rig.end();
        const left = await watch.left(rig.patienceMs);
        if (left.length > 0) found(`left open: ${left.join(', ')}.`);
      } finally {
        watch.stop();
      }
    },
  },
];
