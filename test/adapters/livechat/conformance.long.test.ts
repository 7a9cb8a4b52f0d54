import { describe, it } from 'vitest';
import { describeAdapter } from '../../../src/testing/conformance/index.js';
import { createLiveChat, liveChatHarness } from '../../fixtures/livechat/harness.js';

describeAdapter(createLiveChat, liveChatHarness('LiveChat', {}), { describe, it });

describeAdapter(createLiveChat, liveChatHarness('LiveChat with each webhook sent twice', { copies: 2 }), {
  describe,
  it,
});
