import { expect, it } from 'vitest';
import { createBridge } from '../../src/public/bridge.js';
import { createReceiver, noAuth } from '../../src/public/index.js';
import { fakeDesk } from './fake-desk.js';

const HOURS = { timeZone: 'UTC', open: {} };

it.each<[object, string]>([
  [{ agentName: true }, 'createBridge does not know the option agentName. Did you mean agentNames?'],
  [{ colour: 'red' }, 'createBridge does not know the option colour. It knows receiver, adapter,'],
  [{ messages: { greetings: 'Hi' } }, 'messages of createBridge does not know the option greetings. Did you'],
  [{ retry: { attempts: 1 } }, 'retry of createBridge does not know the option attempts. It knows tries,'],
  [{ limits: { depth: 1 } }, 'limits of createBridge does not know the option depth.'],
  [
    { hours: { ...HOURS, whenClosed: 'apologise' } },
    'hours of createBridge does not know the option whenClosed.',
  ],
])('a bridge refuses unknown options, and names what was meant: %j', (options, message) => {
  const receiver = createReceiver({ auth: { message: noAuth(), handoff: noAuth() }, log: false });
  const adapter = fakeDesk().adapter();
  expect(() => createBridge({ receiver, adapter, log: false, ...options })).toThrow(message);
});

it('a bridge refuses a second greeting', () => {
  const auth = { message: noAuth(), handoff: noAuth() };
  const platform = { baseUrl: 'https://platform.example', apiKey: 'key-of-the-platform' };
  const receiver = createReceiver({ auth, platform, log: false, greeting: 'One moment.' });
  const messages = { greeting: 'Hello.' };
  expect(() => createBridge({ receiver, adapter: fakeDesk().adapter(), log: false, messages })).toThrow(
    'not in both',
  );
});
