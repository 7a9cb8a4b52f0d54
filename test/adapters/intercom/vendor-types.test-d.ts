import type { Intercom } from 'intercom-client';
import { describe, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import type {
  contactSchema,
  createdSchema,
  foundSchema,
  meSchema,
} from '../../../src/adapters/intercom/api.js';
import type { conversationSchema, partSchema } from '../../../src/adapters/intercom/webhook.js';

/** Every field that the adapter reads, required: the vendor's types leave all optional. */
type Known<Value> = { [Key in keyof Value]-?: NonNullable<Value[Key]> };
/** The fields of a schema. */
type Fields<Schema extends z.ZodType> = keyof z.input<Schema>;

describe("Intercom's types", () => {
  it('have what the adapter reads from answers', () => {
    expectTypeOf<Known<Intercom.AdminWithApp>>().toExtend<z.input<typeof meSchema>>();
    expectTypeOf<Intercom.Contact>().toExtend<z.input<typeof contactSchema>>();
    expectTypeOf<Intercom.Message>().toExtend<z.input<typeof createdSchema>>();
    expectTypeOf<Intercom.ConversationList>().toExtend<z.input<typeof foundSchema>>();
  });

  it('have what the adapter reads from webhooks', () => {
    expectTypeOf<Known<Intercom.ConversationPart>>().toExtend<
      Omit<z.input<typeof partSchema>, 'id'> & { id: unknown }
    >();
    expectTypeOf<Known<Intercom.ConversationParts>>().toExtend<
      NonNullable<z.input<typeof conversationSchema>['conversation_parts']>
    >();
  });

  it('know every field by the name that the adapter uses', () => {
    expectTypeOf<Fields<typeof meSchema>>().toExtend<keyof Intercom.AdminWithApp>();
    expectTypeOf<Fields<typeof contactSchema>>().toExtend<keyof Intercom.Contact>();
    expectTypeOf<Fields<typeof foundSchema>>().toExtend<keyof Intercom.ConversationList>();
    expectTypeOf<Fields<typeof partSchema>>().toExtend<keyof Intercom.ConversationPart>();
    expectTypeOf<Fields<typeof conversationSchema>>().toExtend<keyof Intercom.Conversation>();
    type Author = NonNullable<z.input<typeof partSchema>['author']>;
    expectTypeOf<keyof Author>().toExtend<keyof Intercom.ConversationPartAuthor>();
    type Attachment = NonNullable<z.input<typeof partSchema>['attachments']>[number];
    expectTypeOf<keyof Attachment>().toExtend<keyof Intercom.PartAttachment>();
  });
});
