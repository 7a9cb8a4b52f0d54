import type { Client, EventHandles, RawCardActionEvent } from '@larksuiteoapi/node-sdk';
import { describe, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import type { chatSchema, listSchema, sentSchema, userSchema } from '../../../src/adapters/lark/api.js';
import type { clickSchema, messageSchema } from '../../../src/adapters/lark/webhook.js';

type Im = Client['im'];
type Data<Answer extends Promise<{ data?: unknown }>> = NonNullable<Awaited<Answer>['data']>;

describe("Lark's types", () => {
  it('have what the adapter reads from answers', () => {
    expectTypeOf<Data<ReturnType<Im['message']['create']>>>().toExtend<z.input<typeof sentSchema>>();
    expectTypeOf<Data<ReturnType<Im['message']['reply']>>>().toExtend<z.input<typeof sentSchema>>();
    expectTypeOf<Data<ReturnType<Im['message']['list']>>>().toExtend<z.input<typeof listSchema>>();
    expectTypeOf<Data<ReturnType<Im['chat']['get']>>>().toExtend<z.input<typeof chatSchema>>();
    type User = Data<ReturnType<Client['contact']['user']['get']>>;
    expectTypeOf<User>().toExtend<z.input<typeof userSchema>>();
    expectTypeOf<'name'>().toExtend<keyof NonNullable<User['user']>>();
    // One message is answered as a list, without its pages.
    type Items = Data<ReturnType<Im['message']['get']>>['items'];
    expectTypeOf<Items>().toExtend<z.input<typeof listSchema>['items']>();
  });

  it('have every field that the adapter reads, by its name', () => {
    type Sent = Data<ReturnType<Im['message']['create']>>;
    type Listed = NonNullable<Data<ReturnType<Im['message']['list']>>['items']>[number];
    type Read = NonNullable<z.input<typeof listSchema>['items']>[number];
    expectTypeOf<keyof z.input<typeof sentSchema>>().toExtend<keyof Sent>();
    expectTypeOf<keyof Read>().toExtend<keyof Listed>();
    expectTypeOf<keyof NonNullable<Read['sender']>>().toExtend<keyof NonNullable<Listed['sender']>>();
    expectTypeOf<keyof NonNullable<Read['mentions']>[number]>().toExtend<
      keyof NonNullable<Listed['mentions']>[number]
    >();
    expectTypeOf<keyof z.input<typeof chatSchema>>().toExtend<keyof Data<ReturnType<Im['chat']['get']>>>();
  });

  it('have what the adapter reads from events and callbacks', () => {
    type Received = Parameters<NonNullable<EventHandles['im.message.receive_v1']>>[0];
    type Read = z.input<typeof messageSchema>;
    expectTypeOf<Received>().toExtend<Read>();
    expectTypeOf<keyof Read['message']>().toExtend<keyof Received['message']>();
    expectTypeOf<keyof Read['sender']>().toExtend<keyof Received['sender']>();
    expectTypeOf<RawCardActionEvent>().toExtend<z.input<typeof clickSchema>>();
    expectTypeOf<keyof z.input<typeof clickSchema>>().toExtend<keyof RawCardActionEvent>();
  });
});
