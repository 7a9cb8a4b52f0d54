import type { Agent, Customer, Webhooks } from '@livechat/lc-sdk-js';
import type { File, Message, RichMessage } from '@livechat/lc-sdk-js/lib/src/objects/index.js';
import { describe, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import type {
  chatSchema,
  chatsSchema,
  resumedSchema,
  sentSchema,
  startedSchema,
} from '../../../src/adapters/livechat/api.js';
import type { eventSchema, PAYLOADS } from '../../../src/adapters/livechat/webhook.js';

type CustomerApi = InstanceType<typeof Customer.Web>;
type AgentApi = InstanceType<typeof Agent.Web>;

describe("LiveChat's types", () => {
  it('have what the adapter reads from answers', () => {
    expectTypeOf<Awaited<ReturnType<CustomerApi['startChat']>>>().toExtend<z.input<typeof startedSchema>>();
    expectTypeOf<Awaited<ReturnType<CustomerApi['resumeChat']>>>().toExtend<z.input<typeof resumedSchema>>();
    expectTypeOf<Awaited<ReturnType<CustomerApi['sendEvent']>>>().toExtend<z.input<typeof sentSchema>>();
    expectTypeOf<Awaited<ReturnType<AgentApi['listChats']>>>().toExtend<z.input<typeof chatsSchema>>();
    expectTypeOf<Awaited<ReturnType<AgentApi['getChat']>>>().toExtend<z.input<typeof chatSchema>>();
  });

  it('have what the adapter reads from webhooks', () => {
    type ChatEvent = z.input<typeof eventSchema>;
    // Version 3.5 renamed recipients to visibility, and the types are of 3.4.
    type Known<Event> = Event & Pick<ChatEvent, 'visibility'>;
    expectTypeOf<Known<Message>>().toExtend<ChatEvent>();
    expectTypeOf<Known<File>>().toExtend<ChatEvent>();
    expectTypeOf<Known<RichMessage>>().toExtend<ChatEvent>();
    expectTypeOf<Webhooks.ChatDeactivated>().toExtend<z.input<typeof PAYLOADS.chat_deactivated>>();
    expectTypeOf<Webhooks.ChatUserAdded>().toExtend<z.input<typeof PAYLOADS.user_added_to_chat>>();
    type Fields = keyof z.input<typeof PAYLOADS.incoming_event>;
    expectTypeOf<Fields>().toExtend<keyof Webhooks.IncomingEvent>();
    expectTypeOf<Exclude<keyof ChatEvent, 'visibility'>>().toExtend<
      keyof Message | keyof File | keyof RichMessage
    >();
  });
});
