/** Placeholder of a number that is unique per request. */
export const SERIAL = '@'.repeat(12);
/** Placeholder of the number of one of a thousand conversations. */
export const CONVERSATION = '%'.repeat(6);

/** The size of every body, in bytes. */
export const BODY_BYTES = 1536;

const PROSE =
  'Thank you for your patience. I looked into the order you asked about: it left the warehouse on Tuesday, ' +
  'and the carrier expects to deliver it within two working days. If you would rather collect it, reply with ' +
  'the name of the branch nearest to you and I will change the delivery. Is there anything else I can do? ';

/** Fills a body with prose up to exactly {@link BODY_BYTES}. */
function sized(/** @type {(text: string) => unknown} */ build) {
  const room = BODY_BYTES - JSON.stringify(build('')).length;
  if (room < 100) throw new Error(`no room for text in a body of ${BODY_BYTES} bytes`);
  return JSON.stringify(build(PROSE.repeat(Math.ceil(room / PROSE.length)).slice(0, room)));
}

/** A bot's answer: two elements with text, one of them with speech, and usage figures. */
export const message = () =>
  sized((text) => ({
    user_id: 'user_48151623',
    anonymous_id: 'web_0192f0c4-11aa-7b2c-8d3e-5f60718293a4',
    conversation_id: `0192f0c4-7d3a-7c1e-9f00-conversation${CONVERSATION}`,
    message_id: `0192f0c4-7d3a-7c1e-9f00-${SERIAL}`,
    create_time: 1760000000000,
    output: [
      {
        from_component_branch: 'main',
        from_component_name: 'Order status',
        content: { text, audio: [] },
      },
      {
        from_component_branch: 'main',
        from_component_name: 'Voice answer',
        content: {
          text: 'Your order arrives on Thursday.',
          audio: [
            {
              audio: 'https://files.example.com/speech/0192f0c4-7d3a.mp3',
              transcript: 'Your order arrives on Thursday.',
            },
          ],
        },
      },
    ],
    usage: {
      tokens: {
        total_tokens: 1432,
        prompt_tokens: 1180,
        completion_tokens: 252,
        prompt_tokens_details: { audio_tokens: 0, text_tokens: 1180 },
        completion_tokens_details: { reasoning_tokens: 64, audio_tokens: 40, text_tokens: 148 },
      },
      credits: {
        total_credits: 3.25,
        text_input_credits: 1.18,
        text_output_credits: 0.87,
        audio_input_credits: 0,
        audio_output_credits: 1.2,
      },
    },
  }));

/** A comment on an issue, as GitHub sends it, without its longest link fields. */
export const github = () =>
  sized((text) => ({
    action: 'created',
    issue: {
      id: 1001,
      number: 42,
      title: 'Delivery is late',
      state: 'open',
      user: { login: 'octocat', id: 1, type: 'User', site_admin: false },
      labels: [{ id: 7, name: 'bug', color: 'd73a4a', default: true }],
      created_at: '2025-10-09T08:53:20Z',
    },
    comment: {
      id: 2002,
      node_id: `IC_${SERIAL}`,
      user: { login: 'hubot', id: 2, type: 'User', site_admin: false },
      created_at: '2025-10-09T08:53:20Z',
      author_association: 'MEMBER',
      body: text,
    },
    repository: {
      id: 3003,
      name: 'hello-world',
      full_name: 'octocat/hello-world',
      private: false,
      owner: { login: 'octocat', id: 1, type: 'User', site_admin: false },
    },
    sender: { login: 'hubot', id: 2, type: 'User', site_admin: false },
  }));

/** A message in a channel, as Slack's Events API sends it. */
export const slack = () =>
  sized((text) => ({
    token: 'bench-verification-token',
    team_id: 'T00000001',
    api_app_id: 'A00000001',
    event: {
      type: 'message',
      user: 'U00000002',
      text: 'Where is my order?',
      ts: '1760000000.000100',
      client_msg_id: `0192f0c4-7d3a-7c1e-9f00-${SERIAL}`,
      team: 'T00000001',
      channel: `C00${CONVERSATION}`,
      channel_type: 'channel',
      event_ts: '1760000000.000100',
      blocks: [
        {
          type: 'rich_text',
          block_id: 'b1',
          elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
        },
      ],
    },
    type: 'event_callback',
    event_id: `Ev${SERIAL}`,
    event_time: 1760000000,
    authorizations: [
      {
        enterprise_id: null,
        team_id: 'T00000001',
        user_id: 'U00000001',
        is_bot: true,
        is_enterprise_install: false,
      },
    ],
    is_ext_shared_channel: false,
    event_context: '4-bench',
  }));

/** A message of a user, as LINE sends it. */
export const line = () =>
  sized((text) => ({
    destination: 'U0123456789abcdef0123456789abcdef',
    events: [
      {
        type: 'message',
        mode: 'active',
        timestamp: 1760000000000,
        webhookEventId: `01K7${SERIAL}`,
        deliveryContext: { isRedelivery: false },
        replyToken: '0f3779fba3b349968c5d07db31eab56f',
        source: { type: 'user', userId: `U0123456789abcdef01234567${CONVERSATION}` },
        message: { type: 'text', id: SERIAL, quoteToken: 'q3Plxr4AgKd', text },
      },
    ],
  }));
