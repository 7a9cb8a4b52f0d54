import { lambdaHandler } from 'handoff-kit/lambda';
import { buildReceiver, settings } from './receiver.js';

const { receiver } = buildReceiver({ ...settings(), basePath: '/webhook' });

/** The function, behind a function URL or API Gateway. */
export const handler = lambdaHandler(receiver);
