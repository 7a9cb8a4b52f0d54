import type { InboundRequest } from '../../bridge/index.js';
import type { Mailbox } from './mailbox.js';

/** Carries a system's webhooks on, one after another, as a network might. */
export interface Carrier {
  /** How often each is carried. Normally once. */
  copies: number;
  /** From now on nothing is carried. */
  hold(): void;
  /** Carries what was held, and what comes. */
  goOn(): void;
  /** Carries one request at once, and gives the status of the answer. */
  carry(request: InboundRequest): Promise<number>;
  /** The statuses of the answers so far. */
  readonly statuses: readonly number[];
  /** Resolves when what came has been carried. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** What belongs to one connection and not to the request. */
const OF_THE_CONNECTION = ['host', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'];

/** Makes a carrier from a mailbox to the address of a webhook. */
export function createCarrier(mailbox: Mailbox, origin: string): Carrier {
  const waiting: InboundRequest[] = [];
  const statuses: number[] = [];
  const over = new AbortController();
  let working: Promise<void> | null = null;
  let held = false;

  const carry = async ({ method, url, headers, body }: InboundRequest): Promise<number> => {
    const own = Object.entries(headers).filter(
      (header): header is [string, string] =>
        header[1] !== undefined && !OF_THE_CONNECTION.includes(header[0]),
    );
    const answer = await fetch(`${origin}${url}`, {
      method,
      headers: own,
      body: Uint8Array.from(body),
      signal: over.signal,
    });
    await answer.arrayBuffer();
    return answer.status;
  };

  const work = async () => {
    while (!held && !over.signal.aborted) {
      const request = waiting.shift();
      if (!request) return;
      for (let copy = 0; copy < carrier.copies; copy += 1) {
        // A process that is down loses what comes meanwhile, as with systems that try once.
        await carry(request).then(
          (status) => statuses.push(status),
          () => {},
        );
      }
    }
  };
  const wake = () => {
    working ??= work().finally(() => {
      working = null;
      if (waiting.length > 0 && !held && !over.signal.aborted) wake();
    });
  };

  const carrier: Carrier = {
    copies: 1,
    hold() {
      held = true;
    },
    goOn() {
      held = false;
      wake();
    },
    carry,
    statuses,
    async idle() {
      while (working) await working;
    },
    async stop() {
      over.abort();
      await carrier.idle();
    },
  };
  mailbox.each((request) => {
    waiting.push(request);
    wake();
  });
  return carrier;
}
