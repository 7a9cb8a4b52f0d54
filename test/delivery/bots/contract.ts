import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { flakyPlatform } from '../../helpers/fake-platform.js';
import { eventually } from '../contract/stage.js';

const RECEIVER = fileURLToPath(new URL('receiver.js', import.meta.url));
const BOTS = ['sales', 'support'] as const;
type Bot = (typeof BOTS)[number];

const CONVERSATIONS = Array.from({ length: 8 }, (_, index) => `handoff-${index}`);
const MESSAGES = ['one', 'two', 'three', 'four'];
const SENT_AT = 1_742_265_090_895;

const tokenOf = (bot: Bot): string => `path-token-of-the-${bot}-bot`;
const keyOf = (bot: Bot): string => `api-key-of-${bot}`;

/** A store that processes share, for receivers from `dist`. */
export interface BotsStore {
  /** The engine's folder, which is also its function's name. */
  readonly engine: 'sqlite' | 'postgres';
  readonly options: object;
}

/** Starts a receiver in another process. */
async function startReceiver(settings: object): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(RECEIVER, [JSON.stringify(settings)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const died = once(child, 'exit').then(([code]) => {
    throw new Error(`the receiver exited by itself (${String(code)})`);
  });
  const [address] = (await Promise.race([once(child, 'message'), died])) as [{ port: number }];
  died.catch(() => {});
  return { child, url: `http://127.0.0.1:${address.port}` };
}

/** Two bots of one receiver that have the same conversations, and receive the same messages at the same time. */
export function describeBots(name: string, createStore: () => Promise<BotsStore>): void {
  describe(`two bots in one receiver on ${name}, whose process is killed again and again`, () => {
    it("lose and mix up no events and replies while one bot's platform is down", async () => {
      const platforms = { sales: await flakyPlatform(), support: await flakyPlatform() };
      await platforms.sales.down();
      const settings = {
        ...(await createStore()),
        bots: Object.fromEntries(
          BOTS.map((bot) => [
            bot,
            { baseUrl: platforms[bot].options.baseUrl, apiKey: keyOf(bot), token: tokenOf(bot) },
          ]),
        ),
      };
      let running = await startReceiver(settings);
      const kill = async (): Promise<void> => {
        const gone = once(running.child, 'exit');
        running.child.kill('SIGKILL');
        await gone;
      };
      onTestFinished(kill);
      const replace = async (): Promise<void> => {
        await kill();
        running = await startReceiver(settings);
      };

      /** Sends as the platform does, until it is answered 200. */
      const send = async (bot: Bot, conversation: string, index: number): Promise<void> => {
        const body = { conversation_id: conversation, timestamp: SENT_AT + index, body: MESSAGES[index] };
        for (;;) {
          const answer = await fetch(`${running.url}/${tokenOf(bot)}/chat`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
          }).catch(() => null);
          if (answer?.status === 200) return;
          await sleep(20);
        }
      };
      const talk = async (bot: Bot, conversation: string): Promise<void> => {
        for (const index of MESSAGES.keys()) {
          await send(bot, conversation, index);
          await sleep(25);
        }
      };
      const talking = Promise.all(
        BOTS.flatMap((bot) => CONVERSATIONS.map((conversation) => talk(bot, conversation))),
      );
      for (let kills = 0; kills < 3; kills += 1) {
        await sleep(60);
        await replace();
      }
      await talking;

      const expectAnswers = (bot: Bot): void => {
        const expected = MESSAGES.map((text) => `${bot} answers ${text}`);
        // A reply whose process was killed may have been sent twice.
        for (const conversation of CONVERSATIONS) {
          expect([...new Set(platforms[bot].said(conversation))]).toEqual(expected);
        }
      };
      await eventually(() => expectAnswers('support'));
      expect(platforms.sales.calls).toEqual([]);

      await replace();
      await platforms.sales.up();
      await eventually(() => expectAnswers('sales'));
      expectAnswers('support');
      for (const bot of BOTS) {
        const { calls } = platforms[bot];
        expect(new Set(calls.map(({ authorization }) => authorization))).toEqual(
          new Set([`Bearer ${keyOf(bot)}`]),
        );
        expect(calls.filter(({ text }) => !text.startsWith(`${bot} `))).toEqual([]);
      }
    });
  });
}
