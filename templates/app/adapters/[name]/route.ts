import { instance } from '../../../src/instance.js';

export const POST = (request: Request) => instance().helpdesk.fetch(request);
