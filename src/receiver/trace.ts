import type { PlatformClient } from '../client/index.js';
import type { Delivery } from '../delivery/index.js';
import {
  channels,
  type EventStepMessage,
  type SendMessage,
  traceRequest,
  traceStep,
} from '../diagnostics/index.js';
import type { BotDirectory, DeliveredEvent, Dispatcher, Replies } from '../events/index.js';
import type { Greet } from './conversations.js';
import type { Exchange, SendAnswer } from './exchange.js';

/** Wraps the steps of a receiver, so that they are published while anything subscribes to them. */
export interface Tracer {
  request(
    serve: (exchange: Exchange, send: SendAnswer) => Promise<void>,
  ): (exchange: Exchange, send: SendAnswer) => Promise<void>;
  accept(accept: Delivery['accept']): Delivery['accept'];
  handle(handle: Dispatcher['handle']): Dispatcher['handle'];
  greet(greet: Greet): Greet;
  replies(replies: Replies): Replies;
  bots(bots: BotDirectory): BotDirectory;
}

/**
 * Without subscribers each step is one check more.
 *
 * @param isStored - whether the delivery stores events and replies
 * @param receiver - the receiver; called when a step begins
 */
export function createTracer(isStored: boolean, receiver: () => object): Tracer {
  const eventMessage = (event: DeliveredEvent): EventStepMessage => {
    const { bot, name, conversationId, requestId, key, trace } = event;
    return { receiver: receiver(), bot, event: name, conversationId, requestId, key, isStored, trace };
  };

  const traceClient = (client: PlatformClient, bot: string): PlatformClient => {
    const messageOf = (
      kind: 'reply' | 'end',
      { conversationId, timestamp: writtenAt = Date.now() }: Parameters<PlatformClient['end']>[0],
      { trace }: Parameters<PlatformClient['end']>[1] = {},
    ): SendMessage => ({ receiver: receiver(), bot, kind, conversationId, writtenAt, isStored, trace });
    return {
      ...client,
      reply: (input, options) =>
        channels.send.hasSubscribers
          ? traceStep(channels.send, messageOf('reply', input, options), () => client.reply(input, options))
          : client.reply(input, options),
      end: (input, options) =>
        channels.send.hasSubscribers
          ? traceStep(channels.send, messageOf('end', input, options), () => client.end(input, options))
          : client.end(input, options),
    };
  };

  return {
    request: (serve) => (exchange, send) => {
      if (!channels.request.hasSubscribers) return serve(exchange, send);
      const { request, route, requestId } = exchange;
      const { method, headers } = request;
      const { endpoint } = route;
      const message = { receiver: receiver(), requestId, method, endpoint, headers, status: null };
      return traceRequest(channels.request, message, (onAnswer) =>
        serve(exchange, (answer) => {
          onAnswer(answer.status);
          send(answer);
        }),
      );
    },
    accept: (accept) => (event) => {
      if (!channels.accept.hasSubscribers) return accept(event);
      const message = eventMessage(event);
      return traceStep(channels.accept, message, () => {
        const { trace } = message;
        return accept(trace ? { ...event, trace } : event);
      });
    },
    handle: (handle) => (event, run) => {
      if (!channels.handle.hasSubscribers) return handle(event, run);
      const { attempt } = run;
      const message = { ...eventMessage(event), attempt, receivedAt: event.receivedAt };
      return traceStep(channels.handle, message, () => handle(event, run));
    },
    greet: (greet) => (event) =>
      channels.greet.hasSubscribers
        ? traceStep(channels.greet, eventMessage(event), () => greet(event))
        : greet(event),
    replies(replies) {
      const traced = <Result>(
        kind: 'reply' | 'end',
        conversationId: string,
        store: (trace: EventStepMessage['trace']) => Promise<Result>,
      ): Promise<Result> => {
        const message = { receiver: receiver(), kind, conversationId, isStored, trace: undefined };
        return traceStep(channels.reply, message, () => store(message.trace));
      };
      return {
        reply: (id, text, options, run) =>
          channels.reply.hasSubscribers
            ? traced('reply', id, (trace) => replies.reply(id, text, { ...options, trace }, run))
            : replies.reply(id, text, options, run),
        greet: (id, text, options) =>
          channels.reply.hasSubscribers
            ? traced('reply', id, (trace) => replies.greet(id, text, { ...options, trace }))
            : replies.greet(id, text, options),
        end: (id, options, run) =>
          channels.reply.hasSubscribers
            ? traced('end', id, (trace) => replies.end(id, { ...options, trace }, run))
            : replies.end(id, options, run),
        idle: () => replies.idle(),
      };
    },
    bots(bots) {
      const clients = new Map<string, PlatformClient | null>();
      return {
        ...bots,
        platformOf(bot) {
          if (!clients.has(bot)) {
            const client = bots.platformOf(bot);
            clients.set(bot, client && traceClient(client, bot));
          }
          return clients.get(bot) ?? null;
        },
      };
    },
  };
}
