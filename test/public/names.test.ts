import { expect, it } from 'vitest';
import * as delivery from '../../src/public/delivery.js';
import * as protocol from '../../src/public/protocol.js';

it('handoff-kit/delivery has no helpers of the storage', () => {
  expect(Object.keys(delivery)).toEqual(['inline']);
});

it('handoff-kit/protocol has the schemas and constants of the contract, and no helpers of the receiver', () => {
  expect(Object.keys(protocol).toSorted()).toEqual([
    'CLOSE_TYPES',
    'HANDOFF_PATHS',
    'MAX_FILES',
    'MESSAGE_TYPES',
    'PLATFORM_CODES',
    'PLATFORM_PATHS',
    'ValidationError',
    'WEBHOOK_TYPES',
    'agentClose',
    'agentCloseAnswer',
    'agentReply',
    'botMessage',
    'failureBody',
    'handoffAnswer',
    'handoffChat',
    'handoffClose',
    'handoffRequest',
    'isOldMessageFormat',
    'isProbe',
    'messageAnswer',
    'messageAudio',
    'messageText',
    'qaAdd',
    'qaAnswer',
    'qaUpdate',
    'toDate',
    'validate',
    'validateWebhook',
    'webhookCheckAnswer',
  ]);
});
