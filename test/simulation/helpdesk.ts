import { type Adapter, AdapterError, defineAdapter, type InboundEvent } from '../../src/public/adapter.js';
import { DANGER } from './faults.js';
import { createRequest, createResponse, type NetworkFaults } from './platform.js';
import type { RunningProcess } from './processes.js';
import type { Scheduler, SimulatedProcess } from './scheduler.js';
import { closeLabel, eventLabel, FIRST_EVENT_AT, replyLabel, type Witness } from './witness.js';

/** A helpdesk with a bot who answers users. Calls to it fail, hang and answer late; its webhooks get lost and repeated. */
export interface Helpdesk {
  /** The adapter as a process has it. */
  adapterOf(process: SimulatedProcess): Adapter;
  /** Whether no event waits to be sent. */
  isIdle(): boolean;
  /** Tickets that bots see as open. */
  openTickets(): readonly Ticket[];
}

/** A conversation in the helpdesk. */
export interface Ticket {
  readonly id: string;
  readonly conversationId: string;
  isOpen: boolean;
}

/** Options of {@link createHelpdesk}. */
export interface HelpdeskOptions {
  readonly scheduler: Scheduler;
  readonly witness: Witness;
  readonly faults: () => NetworkFaults;
  readonly choose: () => RunningProcess | null;
  /** The number of the message after which the bot closes the conversation. */
  readonly endsAt: (conversation: string) => number | null;
}

interface OpenedTicket extends Ticket {
  readonly key: string;
  readonly outgoing: InboundEvent[];
  said: number;
}

const ADA = { kind: 'agent', name: 'Ada' } as const;

/** How long the helpdesk waits for the answer to a webhook. */
const ANSWER_TIMEOUT_MS = 3_000;

const WAY_MS = 5;

/** Creates a {@link Helpdesk}. */
export function createHelpdesk(options: HelpdeskOptions): Helpdesk {
  const { scheduler, witness, faults, choose, endsAt } = options;
  const { random } = scheduler;
  const tickets: OpenedTicket[] = [];

  const wayMs = (): number => {
    const { slow, slowMs } = faults();
    return random.chance(slow) ? random.between(WAY_MS, slowMs) : random.between(0.1, WAY_MS);
  };

  /** Posts an event to a process, and calls back once with whether it was answered 200. */
  const post = (event: InboundEvent, onAnswer: (isSafe: boolean) => void): void => {
    const process = choose();
    let isAnswered = false;
    const answer = (isSafe: boolean): void => {
      if (isAnswered) return;
      isAnswered = true;
      onAnswer(isSafe);
    };
    scheduler.schedule(null, ANSWER_TIMEOUT_MS, '', () => answer(false));
    if (!process || random.chance(faults().lost)) return;
    const isAnswerLost = random.chance(faults().lost);
    scheduler.schedule(process, wayMs(), `receives ${event.id} of the helpdesk`, () => {
      const response = createResponse((status) => {
        scheduler.trace(process.name, `answers ${status} to ${event.id}`);
        if (status === 200) witness.botEventSafe(event.id);
        else if (status !== 503) witness.violation(`${process.name} answered ${status} to ${event.id}`);
        if (!isAnswerLost) scheduler.schedule(null, wayMs(), '', () => answer(status === 200));
      });
      process.program?.receiveFromHelpdesk(createRequest('/', [event]), response);
    });
  };

  /** Sends the events of a ticket in order, each until it is safe. */
  const sendNext = (ticket: OpenedTicket): void => {
    const [event] = ticket.outgoing;
    if (!event) return;
    if (random.chance(faults().repeated))
      scheduler.schedule(null, random.between(1, 1_500), '', () => post(event, () => undefined));
    post(event, (isSafe) => {
      if (isSafe) ticket.outgoing.shift();
      scheduler.schedule(null, random.between(1, 300), '', () => sendNext(ticket));
    });
  };

  const emit = (ticket: OpenedTicket, event: InboundEvent): void => {
    ticket.outgoing.push(event);
    if (ticket.outgoing.length === 1)
      scheduler.schedule(null, random.between(1, 800), '', () => sendNext(ticket));
  };

  const say = (ticket: OpenedTicket): void => {
    ticket.said += 1;
    const text = replyLabel(`${ticket.conversationId} bot ${ticket.id}`, ticket.said);
    emit(ticket, {
      kind: 'message',
      id: text,
      externalId: ticket.id,
      author: ADA,
      text,
      internal: false,
      messageId: `bot-${ticket.id}-${ticket.said}`,
    });
  };

  /** The bot reads a message, perhaps answers, and closes the conversation after the last. */
  const read = (ticket: OpenedTicket, number: number): void => {
    if (!ticket.isOpen) return;
    if (random.chance(0.6)) say(ticket);
    if (endsAt(ticket.conversationId) !== number) return;
    ticket.isOpen = false;
    emit(ticket, {
      kind: 'closed',
      id: closeLabel(ticket.conversationId),
      externalId: ticket.id,
      author: ADA,
    });
  };

  /** Calls the helpdesk from a process. */
  const call = <Result>(process: SimulatedProcess, name: string, apply: () => Result): Promise<Result> =>
    new Promise((resolve, reject) => {
      const outcome = random.chance(faults().apiFails)
        ? random.pick(['refused', 'lost', 'hangs', 'hangs unseen'] as const)
        : 'answered';
      scheduler.schedule(null, wayMs(), '', () => {
        scheduler.trace('helpdesk', `${name} of ${process.name}: ${outcome}`);
        let answer: () => void = () => reject(new AdapterError('transient', 'the helpdesk fails.'));
        try {
          if (outcome !== 'refused' && outcome !== 'hangs unseen') {
            const result = apply();
            if (outcome === 'answered') answer = () => resolve(result);
          }
        } catch (error) {
          answer = () => reject(error);
        }
        if (!outcome.startsWith('hangs')) scheduler.schedule(process, wayMs(), '', answer, DANGER);
      });
    });

  const find = (id: string): OpenedTicket => {
    const ticket = tickets.find((each) => each.id === id);
    if (!ticket) throw new AdapterError('gone', 'there is no such ticket.');
    return ticket;
  };

  return {
    isIdle: () => tickets.every(({ outgoing }) => outgoing.length === 0),
    openTickets: () => tickets.filter(({ isOpen }) => isOpen),
    adapterOf: (process) =>
      defineAdapter({
        name: 'simulated',
        capabilities: { inbound: ['webhook'], nativeClose: true, messageIds: true, maxTextLength: 1_000 },
        open: ({ key, conversationId }) =>
          call(process, `open ${conversationId}`, () => {
            const id = `t${tickets.length + 1}`;
            const ticket: OpenedTicket = { id, key, conversationId, isOpen: true, outgoing: [], said: 0 };
            tickets.push(ticket);
            read(ticket, 0);
            return { externalId: id };
          }),
        find: ({ key, conversationId }) =>
          call(process, `find ${conversationId}`, () => {
            const ticket = tickets.find((each) => each.key === key);
            return ticket ? { externalId: ticket.id } : null;
          }),
        send({ externalId, conversationId }, { text }) {
          const number = Number(text.split(' ')[1]);
          const label = eventLabel(conversationId, FIRST_EVENT_AT + number);
          witness.messageSent(process, label);
          return call(process, `message ${label}`, () => {
            const ticket = find(externalId);
            if (witness.messageArrived(label)) read(ticket, number);
            return { messageId: `${externalId}-${number}` };
          });
        },
        close: ({ externalId, conversationId }) =>
          call(process, `close ${conversationId}`, () => {
            find(externalId).isOpen = false;
          }),
        verify: () => 'genuine',
        parse: ({ body }) => ({ events: JSON.parse(body.toString()) as InboundEvent[] }),
        check: () => Promise.resolve([]),
      }),
  };
}
