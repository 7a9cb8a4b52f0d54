import { describe, expectTypeOf, it } from 'vitest';
import {
  type AgentReply,
  type AudioClip,
  type BotMessage,
  botMessage,
  type HandoffChat,
  type HandoffClose,
  type HandoffMessageItem,
  type HandoffRequest,
  handoffClose,
  isFailureBody,
  type OutputItem,
  type QaAdd,
  type QaAnswer,
  type QaUpdate,
  toDate,
  type UserInfo,
  type ValidationError,
  validate,
  validateWebhook,
  type WebhookBody,
  type WebhookCheckResult,
  type WebhookEndpoint,
} from '../../src/protocol/index.js';

const take = (_add: QaAdd): void => undefined;

describe('a bot message', () => {
  it('has one normalised shape', () => {
    expectTypeOf<BotMessage['conversation_id']>().toEqualTypeOf<string>();
    expectTypeOf<BotMessage['message_id']>().toEqualTypeOf<string | null>();
    expectTypeOf<BotMessage['user_id']>().toEqualTypeOf<string | null>();
    expectTypeOf<BotMessage['create_time']>().toEqualTypeOf<number | null>();
    expectTypeOf<BotMessage['istest']>().toEqualTypeOf<boolean | undefined>();
  });

  it('has output whose elements are typed', () => {
    expectTypeOf<BotMessage['output']>().toEqualTypeOf<OutputItem[]>();
    expectTypeOf<OutputItem['from_component_name']>().toEqualTypeOf<string | null>();
    expectTypeOf<OutputItem['content']['text']>().toEqualTypeOf<string | null>();
    expectTypeOf<OutputItem['content']['audio']>().toEqualTypeOf<AudioClip[]>();
    expectTypeOf<AudioClip['transcript']>().toEqualTypeOf<string | null>();
  });

  it('has figures or null', () => {
    type Usage = BotMessage['usage'];
    expectTypeOf<Usage['tokens']['total_tokens']>().toEqualTypeOf<number | null>();
    expectTypeOf<Usage['tokens']['prompt_tokens_details']['text_tokens']>().toEqualTypeOf<number | null>();
    expectTypeOf<Usage['credits']['total_credits']>().toEqualTypeOf<number | null>();
  });
});

describe('handoff bodies', () => {
  it('are typed down to the transcript and the user', () => {
    expectTypeOf<HandoffRequest['body']>().toEqualTypeOf<HandoffMessageItem[]>();
    expectTypeOf<HandoffMessageItem['text']>().toEqualTypeOf<string>();
    expectTypeOf<HandoffRequest['user_info']>().toExtend<UserInfo>();
    expectTypeOf<UserInfo['user_id']>().toEqualTypeOf<string | null>();
    expectTypeOf<HandoffChat['body']>().toEqualTypeOf<string>();
  });

  it('accept documented and unknown close types', () => {
    expectTypeOf<'TIMEOUT'>().toExtend<HandoffClose['type']>();
    expectTypeOf<'USER_CLOSED'>().toExtend<HandoffClose['type']>();
    expectTypeOf<'BOT_GONE'>().toExtend<HandoffClose['type']>();
    expectTypeOf<null>().toExtend<HandoffClose['type']>();
    expectTypeOf<number>().not.toExtend<HandoffClose['type']>();
    expectTypeOf<HandoffClose['type']>().toExtend<string | null>();
  });

  it('list the documented values for completion in an editor', () => {
    expectTypeOf<Extract<HandoffClose['type'], 'TIMEOUT'>>().toEqualTypeOf<'TIMEOUT'>();
    expectTypeOf<Extract<HandoffMessageItem['message_type'], 'QUESTION'>>().toEqualTypeOf<'QUESTION'>();
    expectTypeOf<Extract<WebhookCheckResult['type'], 'human_service'>>().toEqualTypeOf<'human_service'>();
  });
});

describe('a typo in a payload', () => {
  it('does not compile', () => {
    // @ts-expect-error message_id
    expectTypeOf((message: BotMessage) => message.mesage_id).toBeFunction();
    // @ts-expect-error text
    expectTypeOf((item: OutputItem) => item.content.txt).toBeFunction();
    // @ts-expect-error transcript
    expectTypeOf((clip: AudioClip) => clip.transcipt).toBeFunction();
    // @ts-expect-error total_tokens
    expectTypeOf((message: BotMessage) => message.usage.tokens.total_token).toBeFunction();
    // @ts-expect-error total_credits
    expectTypeOf((message: BotMessage) => message.usage.credits.total).toBeFunction();
    // @ts-expect-error user_info
    expectTypeOf((request: HandoffRequest) => request.userinfo).toBeFunction();
    // @ts-expect-error user_id
    expectTypeOf((request: HandoffRequest) => request.user_info.userid).toBeFunction();
    // @ts-expect-error message_type
    expectTypeOf((item: HandoffMessageItem) => item.messageType).toBeFunction();
    // @ts-expect-error body
    expectTypeOf((chat: HandoffChat) => chat.bdoy).toBeFunction();
    // @ts-expect-error type
    expectTypeOf((close: HandoffClose) => close.tpye).toBeFunction();
    // @ts-expect-error message_id
    expectTypeOf((body: WebhookBody<'message'>) => body.mesage_id).toBeFunction();
    // @ts-expect-error failed
    expectTypeOf((answer: QaAnswer) => answer.faild).toBeFunction();
    // @ts-expect-error http_status
    expectTypeOf((result: WebhookCheckResult) => result.status).toBeFunction();
  });
});

describe('a request to add pairs', () => {
  const pair = { question: 'q', answer: 'a' };
  const csv = { file_url: 'https://a.example/a.csv', file_name: 'a.csv' };
  const pdf = { source_url: 'https://a.example/a.pdf', file_name: 'a.pdf' };

  it('has the fields of its purpose', () => {
    expectTypeOf({ purpose: 'QA_TEXT' as const, name: 'n', qaList: [pair] }).toExtend<QaAdd>();
    expectTypeOf({ purpose: 'QA_FILE' as const, files: [csv] }).toExtend<QaAdd>();
    expectTypeOf({ purpose: 'FILE_2_QA' as const, files: [pdf] }).toExtend<QaAdd>();
    expectTypeOf<QaAdd['purpose']>().toEqualTypeOf<'QA_TEXT' | 'QA_FILE' | 'FILE_2_QA'>();
  });

  it('does not compile without them', () => {
    // @ts-expect-error QA_TEXT needs qaList
    take({ purpose: 'QA_TEXT', name: 'n' });
    // @ts-expect-error QA_TEXT needs name
    take({ purpose: 'QA_TEXT', qaList: [pair] });
    // @ts-expect-error QA_FILE needs files
    take({ purpose: 'QA_FILE' });
    // @ts-expect-error QA_FILE needs file_url
    take({ purpose: 'QA_FILE', files: [pdf] });
    // @ts-expect-error FILE_2_QA needs source_url
    take({ purpose: 'FILE_2_QA', files: [csv] });
    // @ts-expect-error there is no such purpose
    take({ purpose: 'QA', name: 'n', qaList: [pair] });
  });

  it('does not compile with a misspelt field', () => {
    // @ts-expect-error knowledge_base_id
    take({ purpose: 'QA_TEXT', name: 'n', qaList: [pair], knowledgeBaseId: 'k' });
    // @ts-expect-error chunk_token
    take({ purpose: 'QA_FILE', files: [csv], chunk_tokens: 5 });
    take({ purpose: 'QA_FILE', files: [csv], extra: { language: 'de' } });
  });

  it('replaces the pairs of one document, or of several by files', () => {
    const update = (request: QaUpdate) => request;
    update({ doc_id: 'd', qaList: [pair] });
    update({ files: [{ ...pdf, doc_id: 'd' }] });
    // @ts-expect-error doc_id
    update({ qaList: [pair] });
    // @ts-expect-error not both
    update({ doc_id: 'd', qaList: [pair], files: [{ ...pdf, doc_id: 'd' }] });
    // @ts-expect-error each file has its document
    update({ files: [pdf] });
  });

  it('narrows by its purpose', () => {
    type Text = Extract<QaAdd, { purpose: 'QA_TEXT' }>;
    type File = Extract<QaAdd, { purpose: 'QA_FILE' }>;
    expectTypeOf<Text['name']>().toEqualTypeOf<string>();
    expectTypeOf<File['name']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<File['files'][number]['file_url']>().toEqualTypeOf<string>();
  });
});

describe('the other types of knowledge', () => {
  it('describe an update and an answer', () => {
    expectTypeOf({ doc_id: 'd', qaList: [{ question: 'q', answer: 'a' }] }).toExtend<QaUpdate>();
    expectTypeOf<QaAnswer['failed']>().toEqualTypeOf<string[]>();
    expectTypeOf<QaAnswer['doc'][number]['doc_id']>().toEqualTypeOf<string>();
  });
});

describe('validation', () => {
  it('gives the type of the schema', () => {
    expectTypeOf(validate(botMessage, null)).toEqualTypeOf<BotMessage>();
    expectTypeOf(validate(handoffClose, null)).toEqualTypeOf<HandoffClose>();
  });

  it('gives the type of the endpoint', () => {
    expectTypeOf(validateWebhook('chat', {})).toEqualTypeOf<HandoffChat>();
    expectTypeOf<WebhookBody<'establish'>>().toEqualTypeOf<HandoffRequest>();
    expectTypeOf<WebhookEndpoint>().toEqualTypeOf<'message' | 'establish' | 'chat' | 'close'>();
    expectTypeOf<WebhookBody<'message'>['output']>().toEqualTypeOf<unknown[]>();
  });

  it('has its own error codes', () => {
    expectTypeOf<ValidationError['code']>().toEqualTypeOf<'INVALID_BODY' | 'OLD_MESSAGE_FORMAT'>();
  });

  it('reports issues that cannot be changed', () => {
    expectTypeOf<ValidationError['issues'][number]>().toEqualTypeOf<
      Readonly<{ path: string; message: string }>
    >();
  });

  it('does not promise a message in a failure body', () => {
    const body: unknown = null;
    if (isFailureBody(body)) {
      expectTypeOf(body.code).toEqualTypeOf<number>();
      expectTypeOf(body.message).toBeUnknown();
    }
  });
});

describe('toDate and AgentReply', () => {
  it('has the documented signature', () => {
    expectTypeOf(toDate).toEqualTypeOf<(value: number) => Date>();
    expectTypeOf<AgentReply['timestamp']>().toEqualTypeOf<number>();
  });
});
